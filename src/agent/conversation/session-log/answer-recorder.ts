import type { JsonObject } from "../../../format/json.js";
import type { ApiBlock } from "../../../format/record/api-message.js";
import type { Answer, AnswerStart } from "../../model/model.js";
import type { ConversationLog } from "./conversation-log.js";
import type { AnswerEnd, AnswerHead, AnswerPart } from "./lines.js";

export interface AnswerMeta {
  readonly requestedModel: string;
  readonly effort: string | undefined;
  readonly agentType: string | undefined;
}

/**
 * Records an answer block by block while it streams. The newest block is held back, so that the last record has the final
 * stop reason and usage; from the first call on all blocks are, so that a failed stream leaves no call without a result.
 * Each attempt has the same parent.
 */
export class AnswerRecorder {
  readonly #before: string | null;
  #head: AnswerHead | undefined;
  #usage: JsonObject = {};
  #pending: AnswerPart[] = [];
  #written: ApiBlock[] = [];

  constructor(
    private readonly log: ConversationLog,
    private readonly meta: AnswerMeta,
  ) {
    this.#before = log.leaf;
  }

  start({ id, model, requestId, usage }: AnswerStart): void {
    this.log.returnTo(this.#before);
    this.#head = { id, model, requestId, ...this.meta };
    this.#usage = usage;
    this.#pending = [];
    this.#written = [];
  }

  block(block: ApiBlock, index: number): void {
    this.#pending.push({ block, index });
    while (this.#pending.length > 1 && this.#pending[0]?.block.type !== "tool_use") this.#writeFirst();
  }

  /** The answer is complete; returns what was recorded of it. A call cut by the output limit is dropped. */
  finish({ stopReason, stopSequence, usage }: Answer): readonly ApiBlock[] {
    const isCut = stopReason === "max_tokens" || stopReason === "model_context_window_exceeded";
    if (isCut && this.#pending.at(-1)?.block.type === "tool_use") this.#pending.pop();
    const hasCall = this.#pending.some(({ block }) => block.type === "tool_use");
    const reason = stopReason === "tool_use" && !hasCall ? "end_turn" : stopReason;
    for (const part of this.#pending) this.#write(part, { stopReason: reason, stopSequence, usage }, false);
    return this.#end();
  }

  /** The answer was aborted: text and signed thinking are kept, calls are not, because none of them ran. */
  abort(answer: Answer): readonly ApiBlock[] {
    const openIndex = (this.#pending.at(-1)?.index ?? this.#written.length - 1) + 1;
    const cutText = answer.blocks.at(-1);
    const isNew =
      cutText !== undefined &&
      !this.#written.includes(cutText) &&
      !this.#pending.some(({ block }) => block === cutText);
    if (isNew) this.#pending.push({ block: cutText, index: openIndex });
    const end = { stopReason: null, stopSequence: null, usage: answer.usage };
    for (const part of this.#pending) if (part.block.type !== "tool_use") this.#write(part, end, true);
    return this.#end();
  }

  /** All attempts failed: what the last one recorded becomes a dead branch. */
  giveUp(): void {
    this.log.returnTo(this.#before);
  }

  #end(): readonly ApiBlock[] {
    this.#pending = [];
    return this.#written;
  }

  #writeFirst(): void {
    const part = this.#pending.shift();
    if (part) this.#write(part, { stopReason: null, stopSequence: null, usage: this.#usage }, false);
  }

  #write(part: AnswerPart, end: AnswerEnd, isAborted: boolean): void {
    if (!this.#head) return;
    this.log.addAnswer(this.#head, part, end, isAborted);
    this.#written.push(part.block);
  }
}
