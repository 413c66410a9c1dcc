import { type ApiBlock, type ApiMessage, textBlock } from "../../format/record/api-message.js";
import type { Conversation } from "../conversation/conversation.js";
import { boundaryLine, compactSummaryLine } from "../conversation/session-log/lines.js";
import { summaryLine } from "../conversation/session-log/side-lines.js";
import { compactFields } from "../hooks/run-hooks.js";
import { ModelError } from "../model/model.js";
import { modelFacts } from "../model/model-facts.js";
import { compactConversation, contextTokens, estimateMessageTokens } from "./compact.js";

const MESSAGES_KEPT_WHOLE = 6;
const MAX_COMPACTIONS_PER_TURN = 3;

/** Tracks how full the context is, and frees space: first by clearing old tool results, then by a summary. */
export class ContextWindow {
  /** The last count of the API, and the number of messages it covered. */
  #counted = { tokens: 0, messages: 0 };
  /** Attempts in this turn. */
  #compactions = 0;

  constructor(private readonly conversation: Conversation) {}

  startTurn(): void {
    this.#compactions = 0;
  }

  noteUsage(usage: unknown, messages: number): void {
    this.#counted = { tokens: contextTokens(usage), messages };
  }

  tokens(messages: readonly ApiMessage[]): number {
    return this.#counted.tokens + estimateMessageTokens(messages.slice(this.#counted.messages));
  }

  /** By default 80 % of the model's context window. */
  get limit(): number {
    const { host, modelName } = this.conversation;
    return host.options.compactAt ?? Math.floor(modelFacts(modelName).contextWindow * 0.8);
  }

  async makeRoom(
    messages: readonly ApiMessage[],
    isFull: boolean,
    promptId: string,
    signal: AbortSignal,
  ): Promise<readonly ApiMessage[]> {
    if (!isFull && this.tokens(messages) < this.limit) return messages;
    const cleared = clearOldResults(messages, MESSAGES_KEPT_WHOLE);
    const saved = estimateMessageTokens(messages) - estimateMessageTokens(cleared);
    if (!isFull && this.tokens(messages) - saved < this.limit * 0.8) {
      this.#counted = { tokens: Math.max(this.tokens(messages) - saved, 0), messages: messages.length };
      return cleared;
    }
    this.#compactions += 1;
    if (this.#compactions === MAX_COMPACTIONS_PER_TURN + 1) {
      const text = "the context is full again after three summaries; continuing without another";
      this.conversation.host.listen({ kind: "notice", text });
    }
    if (this.#compactions > MAX_COMPACTIONS_PER_TURN) return messages;
    return (await this.#tryCompact(messages, promptId, signal)) ?? messages;
  }

  /** If the summary fails, the conversation continues without it. */
  async #tryCompact(
    messages: readonly ApiMessage[],
    promptId: string,
    signal: AbortSignal,
  ): Promise<readonly ApiMessage[] | undefined> {
    try {
      return await this.compact(messages, { trigger: "auto", promptId, signal });
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      this.conversation.host.listen({ kind: "notice", text: `compaction failed: ${error.message}` });
      return undefined;
    }
  }

  /** Undefined: a summary would not be shorter. */
  async compact(
    messages: readonly ApiMessage[],
    options: { trigger: "manual" | "auto"; promptId: string; signal: AbortSignal; instructions?: string | undefined },
  ): Promise<readonly ApiMessage[] | undefined> {
    const { host, log } = this.conversation;
    const { trigger, promptId, signal, instructions } = options;
    await host.hooks.run("PreCompact", {
      signal,
      subject: trigger,
      fields: compactFields(trigger, instructions),
    });
    const started = performance.now();
    const request = { conversation: this.conversation, messages, instructions, signal };
    const compacted = await compactConversation(request);
    const durationMs = Math.round(performance.now() - started);
    if (!compacted) return undefined;
    const preTokens = this.tokens(messages);
    const after: readonly ApiMessage[] = [{ role: "user", content: [textBlock(compacted.text)] }];
    // Tokens besides the messages, such as tools and system prompt, remain.
    const besides = Math.max(preTokens - estimateMessageTokens(messages), 0);
    const postTokens = besides + estimateMessageTokens(after);
    const before = log.leaf;
    if (before !== null) log.addSide(summaryLine(compacted.title, before));
    log.startAnew();
    log.add(boundaryLine({ trigger, preTokens, postTokens, durationMs, logicalParentUuid: before }));
    log.add(compactSummaryLine(compacted.text, promptId));
    await log.sync();
    this.#counted = { tokens: 0, messages: 0 };
    this.conversation.emit({ kind: "compacted", preTokens, postTokens });
    return after;
  }
}

const CLEARED = "[The result was removed to save space. Call the tool again if you need it.]";
/** Short results are not worth clearing. */
const MIN_CHARS = 1_000;

/** Clears old, long tool results; the last `keep` messages stay complete. */
function clearOldResults(messages: readonly ApiMessage[], keep: number): readonly ApiMessage[] {
  const border = messages.length - keep;
  return messages.map((message, at) =>
    at < border && message.role === "user" ? { ...message, content: message.content.map(clear) } : message,
  );
}

function clear(block: ApiBlock): ApiBlock {
  if (block.type !== "tool_result") return block;
  const isLong = JSON.stringify(block["content"] ?? "").length >= MIN_CHARS;
  return isLong ? { ...block, content: CLEARED } : block;
}
