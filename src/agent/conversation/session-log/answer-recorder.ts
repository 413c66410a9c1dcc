import type { JsonObject } from "../../../format/json.js";
import type { ApiBlock } from "../../../format/record/api-message.js";
import type { Answer, AnswerEvent, AnswerStart } from "../../model/model.js";
import type { ConversationLog } from "./conversation-log.js";
import type { AnswerEnd, AnswerHead, AnswerPart } from "./lines.js";

export interface AnswerMeta {
  readonly requestedModel: string;
  readonly effort: string | undefined;
  readonly agentType: string | undefined;
}

/** What was recorded of an answer, and so belongs to the conversation. */
export interface RecordedAnswer {
  readonly blocks: readonly ApiBlock[];
  /** The last call, if the output limit cut it: it must not run. */
  readonly cutCallId: string | undefined;
}

/**
 * Records an answer block by block while it streams. The newest block is held back, so that the last record has the final
 * stop reason and usage. From the first call on all blocks are, so that a failed stream leaves no call without a result; the block
 * before it too, because the output limit may cut the call. Each attempt has the same parent.
 */
export class AnswerRecorder {
  readonly #before: string | null;
  #head: AnswerHead | undefined;
  #usage: JsonObject = {};
  #pending: AnswerPart[] = [];
  #written: ApiBlock[] = [];
  /** Usage of failed attempts of which something is recorded. */
  readonly discarded: { readonly model: string; readonly usage: JsonObject }[] = [];

  constructor(
    private readonly log: ConversationLog,
    private readonly meta: AnswerMeta,
  ) {
    this.#before = log.leaf;
  }

  /** Whether anything of the last attempt is in the file. */
  get hasRecords(): boolean {
    return this.#written.length > 0;
  }

  hear(event: AnswerEvent): void {
    if (event.kind === "answer-start") this.#start(event.start);
    else if ("block" in event && event.block) this.#add({ block: event.block, index: event.index });
  }

  /** The answer is complete. A call that the output limit cut is dropped, unless there is nothing else to record the end with. */
  finish({ stopReason, stopSequence, stopDetails, usage }: Answer): RecordedAnswer {
    const isCut = stopReason === "max_tokens" || stopReason === "model_context_window_exceeded";
    const last = this.#pending.at(-1)?.block;
    const cut = isCut && last?.type === "tool_use" ? last : undefined;
    if (cut && this.#pending.length > 1) this.#pending.pop();
    const hasCall = this.#pending.some(({ block }) => block.type === "tool_use");
    const reason = stopReason === "tool_use" && !hasCall ? "end_turn" : stopReason;
    for (const part of this.#pending)
      this.#write(part, { stopReason: reason, stopSequence, stopDetails, usage }, false);
    this.#pending = [];
    const isKept = cut !== undefined && this.#written.includes(cut);
    return { blocks: this.#written, cutCallId: isKept ? String(cut["id"]) : undefined };
  }

  /** The answer was aborted: text and signed thinking are kept, calls are not, because none of them ran. */
  abort({ usage }: Answer): RecordedAnswer {
    const end = { stopReason: null, stopSequence: null, usage };
    for (const part of this.#pending) if (part.block.type !== "tool_use") this.#write(part, end, true);
    this.#pending = [];
    return { blocks: this.#written, cutCallId: undefined };
  }

  /** All attempts failed: what the last one recorded becomes a dead branch. */
  giveUp(): void {
    this.#discard();
    this.log.returnTo(this.#before);
  }

  #start({ id, model, requestId, usage }: AnswerStart): void {
    this.#discard();
    this.log.returnTo(this.#before);
    this.#head = { id, model, requestId, ...this.meta };
    this.#usage = usage;
  }

  #discard(): void {
    if (this.#head && this.hasRecords) this.discarded.push({ model: this.#head.model, usage: this.#usage });
    this.#pending = [];
    this.#written = [];
  }

  #add(part: AnswerPart): void {
    this.#pending.push(part);
    const isFree = (at: number) => this.#pending[at] !== undefined && this.#pending[at]?.block.type !== "tool_use";
    while (isFree(0) && isFree(1)) this.#writeFirst();
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
