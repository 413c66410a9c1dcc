import { randomUUID } from "node:crypto";
import type { JsonObject } from "../../../format/json.js";
import type { ApiBlock } from "../../../format/record/api-message.js";
import type { Answer, AnswerEvent, AnswerStart } from "../../model/model.js";
import type { ConversationLog } from "./conversation-log.js";
import { type AnswerEnd, type AnswerHead, type AnswerPart, answerLine } from "./lines.js";
import type { OpenDraft } from "./recorder.js";

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
 * Records an answer as Claude Code does (2.1.326): when it is complete, with the final stop reason and usage on each record, and the time
 * at which each block ended. Until then a draft keeps the blocks, without calls: none of them ran. Each attempt has the same parent.
 */
export class AnswerRecorder {
  readonly #before: string | null;
  #head: AnswerHead | undefined;
  #usage: JsonObject = {};
  #pending: AnswerPart[] = [];
  #draft: OpenDraft | undefined;
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
    else if ("block" in event && event.block) this.#add(event.block, event.index);
  }

  /** The answer is complete. A call that the output limit cut is dropped, unless there is nothing else to record the end with. */
  finish({ stopReason, stopSequence, stopDetails, usage }: Answer): RecordedAnswer {
    const isCut = stopReason === "max_tokens" || stopReason === "model_context_window_exceeded";
    const last = this.#pending.at(-1)?.block;
    const cut = isCut && last?.type === "tool_use" ? last : undefined;
    if (cut && this.#pending.length > 1) this.#pending.pop();
    const hasCall = this.#pending.some(({ block }) => block.type === "tool_use");
    const reason = stopReason === "tool_use" && !hasCall ? "end_turn" : stopReason;
    this.#write(this.#pending, { stopReason: reason, stopSequence, stopDetails, usage }, false);
    const isKept = cut !== undefined && this.#written.includes(cut);
    return { blocks: this.#written, cutCallId: isKept ? String(cut["id"]) : undefined };
  }

  /** The answer was aborted: text and signed thinking are kept, calls are not, because none of them ran. */
  abort({ usage }: Answer): RecordedAnswer {
    this.#write(this.#withoutCalls, { ...CUT, usage }, true);
    return { blocks: this.#written, cutCallId: undefined };
  }

  /** All attempts failed: what is recorded of the last one becomes a dead branch. */
  giveUp(): void {
    this.#discard();
    this.log.returnTo(this.#before);
  }

  #start({ id, model, requestId, usage }: AnswerStart): void {
    this.#discard();
    this.log.returnTo(this.#before);
    this.#head = { id, model, requestId, ...this.meta };
    this.#usage = usage;
    this.#draft = this.log.openDraft();
  }

  #discard(): void {
    this.#write(this.#withoutCalls, { ...CUT, usage: this.#usage }, false);
    if (this.#head && this.hasRecords) this.discarded.push({ model: this.#head.model, usage: this.#usage });
    this.#written = [];
  }

  get #withoutCalls(): readonly AnswerPart[] {
    return this.#pending.filter(({ block }) => block.type !== "tool_use");
  }

  #add(block: ApiBlock, index: number): void {
    const part = { block, index, uuid: randomUUID(), time: this.log.time() };
    this.#pending.push(part);
    if (!this.#head || block.type === "tool_use") return;
    this.#draft?.add(answerLine(this.#head, part, { ...CUT, usage: this.#usage }, true), part);
  }

  #write(parts: readonly AnswerPart[], end: AnswerEnd, isAborted: boolean): void {
    this.#pending = [];
    if (!this.#head) return;
    for (const part of parts) this.log.addAnswer(this.#head, part, end, isAborted);
    this.#written.push(...parts.map(({ block }) => block));
    this.#draft?.drop();
  }
}

const CUT = { stopReason: null, stopSequence: null };
