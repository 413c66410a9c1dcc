import type { JsonObject } from "../../../format/json.js";
import type { OpenCall } from "./history.js";
import {
  type AnswerEnd,
  type AnswerHead,
  type AnswerPart,
  answerLine,
  type LineBody,
  type ResultFields,
  resultLine,
} from "./lines.js";
import type { OpenDraft, RecordedLine, Recorder } from "./recorder.js";

/**
 * The records of one conversation and its open calls, in the file that they go to at the moment: after a fork that is another
 * one. Whoever records holds a log, never a recorder, so nobody goes on writing to a file that was left.
 */
export class ConversationLog {
  #recorder: Recorder;
  /** Recorded calls without a result: the uuid of each call's record, by call id. */
  readonly #openCalls = new Map<string, string>();

  /** `openCalls`: those that an earlier process left without a result. */
  constructor(recorder: Recorder, openCalls: readonly OpenCall[] = []) {
    this.#recorder = recorder;
    for (const { id, callUuid } of openCalls) this.#openCalls.set(id, callUuid);
  }

  get path(): string {
    return this.#recorder.path;
  }

  get sessionId(): string {
    return this.#recorder.sessionId;
  }

  /** The parent of the next record. */
  get leaf(): string | null {
    return this.#recorder.leaf;
  }

  /** Number of records written to the file since it was opened. */
  get lines(): number {
    return this.#recorder.lines;
  }

  /** Records wait in memory because the disk is full or fails. */
  get isStalled(): boolean {
    return this.#recorder.isStalled;
  }

  time(): string {
    return this.#recorder.time();
  }

  /** Adds a record after the last one. */
  add(body: LineBody, uuid?: string, time?: string): RecordedLine {
    const line = this.#recorder.add(body, uuid, time);
    this.onLine(line, true);
    return line;
  }

  /** Adds a record that never becomes a parent. */
  addAside(body: LineBody): void {
    this.#recorder.addAside(body);
  }

  addSide(line: JsonObject): void {
    this.#recorder.addSide(line);
  }

  /** For records that will follow the last one. */
  openDraft(): OpenDraft {
    return this.#recorder.openDraft();
  }

  /** Adds a block of an answer; a call stays open until its result is added. */
  addAnswer(head: AnswerHead, part: AnswerPart, end: AnswerEnd, isAborted: boolean): void {
    const { uuid } = this.add(answerLine(head, part, end, isAborted), part.uuid, part.time);
    if (part.block.type === "tool_use") this.#openCalls.set(String(part.block["id"]), uuid);
  }

  /** Adds the result of an open call. Whoever adds it announces it with the end of the call. */
  addResult(fields: Omit<ResultFields, "callUuid">, promptId: string): RecordedLine {
    const line = this.#recorder.add(resultLine({ ...fields, callUuid: this.uuidOfCall(fields.callId) }, promptId));
    this.#openCalls.delete(fields.callId);
    this.onLine(line, false);
    return line;
  }

  /** The uuid of the record of an open call. */
  uuidOfCall(callId: string): string {
    return this.#openCalls.get(callId) ?? "";
  }

  /** Gives every open call a result that says why it has none. */
  closeCalls(reason: string, promptId: string): void {
    const basics = { content: reason, isError: true, data: `Error: ${reason}`, permission: undefined };
    for (const [callId, callUuid] of [...this.#openCalls]) {
      this.add(resultLine({ ...basics, callId, callUuid, denialKind: "interrupted" }, promptId));
      this.#openCalls.delete(callId);
    }
  }

  /** Continues from an earlier record: what was written since becomes a dead branch. */
  returnTo(leaf: string | null): void {
    this.#recorder.returnTo(leaf);
  }

  /** Starts a new root, after a compaction. */
  startAnew(): void {
    this.#recorder.returnTo(null);
  }

  /** Flushes what was written to disk. */
  sync(): Promise<void> {
    return this.#recorder.sync();
  }

  /** False: some records could not be written. */
  close(): Promise<boolean> {
    return this.#recorder.close();
  }

  /** A record is in the file. `isNews`: no other event tells of it. */
  protected onLine(_line: RecordedLine, _isNews: boolean): void {}

  /** Another program wrote to the file. */
  protected get isDisturbed(): boolean {
    return this.#recorder.isDisturbed;
  }

  /** Goes on in another file; returns whether all records of the old one could be written. */
  protected moveTo(recorder: Recorder): Promise<boolean> {
    const left = this.#recorder;
    this.#recorder = recorder;
    return left.close();
  }
}
