import { isFileError } from "../../errors.js";
import { sessionPaths } from "../../format/layout/session-paths.js";
import { once } from "../../lazy.js";
import { type FollowedSession, followSession } from "../../library/load/live-session.js";
import type { LoadedSession, LoadOptions } from "../../library/load/load-session.js";
import { compactionsByTurn } from "../../render/show-session.js";
import { findPreservedRecords, type PreservedRecords } from "../../session/replay/select-replay.js";
import type { Turn } from "../../session/turns/build-turn.js";
import type { TurnOutline } from "../../session/turns/outline-turns.js";
import type { ToolCall } from "../../session/turns/tool-calls.js";
import { type TurnContent, trackSeenParts } from "../../session/turns/unseen-parts.js";
import type { FollowView } from "./follow-view.js";

export interface TailOptions {
  readonly view: FollowView;
  /** How many existing turns to print first. */
  readonly turns: number;
  readonly load: LoadOptions;
  heading(session: LoadedSession): string;
  /** One line about the file itself. */
  onNotice(text: string): void;
}

type CompactionsOf = () => ReturnType<typeof compactionsByTurn>;

/** A call that takes longer is printed before its result arrives. */
const LONG_CALL_MS = 1000;

/** Prints a session while it is written: each part once, when it is final. */
export class SessionTail {
  private readonly followed: FollowedSession;
  private readonly sessionId: string;
  private kept: PreservedRecords = { lines: new Set(), uuids: new Set(), byCompaction: new Map() };
  private readonly running = new Map<string, { readonly call: ToolCall; readonly since: number; isPrinted: boolean }>();
  private seen = trackSeenParts();
  private lastStart: number | undefined; // the line of the turn that was the last one
  private ended: Turn | undefined;
  private lastLine = 0;
  private isFirst = true;
  private isMissing = false;

  constructor(
    path: string,
    private readonly options: TailOptions,
  ) {
    this.sessionId = sessionPaths(path).id;
    /** A followed session counts as live, whatever its timestamps. */
    this.followed = followSession(path, { ...options.load, now: 0 });
  }

  close(): void {
    this.followed.close();
  }

  /** What is new since the last call. */
  *news(): Generator<string> {
    const { session, firstNewLine, lastLine, restarted, isMissing } = this.followed.poll();
    this.lastLine = lastLine;
    if (isMissing && !this.isMissing) this.options.onNotice("the file is gone; waiting for it to come back");
    this.isMissing = isMissing;
    if (restarted) this.restart(restarted);
    if (session) yield* this.printIfPresent(session, firstNewLine);
    else yield* this.printEnd();
    yield* this.printRunning();
  }

  /** If the file disappears while it is read, the rest is printed when it is back. */
  private *printIfPresent(session: LoadedSession, firstNewLine: number): Generator<string> {
    try {
      yield* this.print(session, firstNewLine);
    } catch (error) {
      if (!isFileError(error) || error.code !== "ENOENT") throw error;
      this.isFirst = true;
    }
  }

  private restart(how: string): void {
    this.options.onNotice(`the file was ${how}; starting again`);
    this.seen = trackSeenParts();
    this.running.clear();
    this.ended = undefined;
    this.lastStart = undefined;
    this.isFirst = true;
  }

  private *print(session: LoadedSession, firstNewLine: number): Generator<string> {
    const { turns, preamble, totals } = session.outline;
    if (turns.length === 0 && totals.messages === 0 && preamble.locals.length === 0) return;
    this.kept = findPreservedRecords(session.outline);
    const skipped = this.isFirst ? Math.max(0, turns.length - this.options.turns) : 0;
    if (this.isFirst) yield this.options.view.heading(this.options.heading(session));
    else if (this.isRewound(turns, firstNewLine)) this.options.onNotice("the last turn was taken back");
    const isNew = ({ nodes }: Pick<TurnOutline, "nodes">) =>
      this.isFirst || nodes.some(({ line }) => line >= firstNewLine);
    const compactionsOf = once(() => compactionsByTurn(session.compactions()));
    if (skipped === 0 && isNew(preamble)) yield* this.printPreamble(session, compactionsOf);
    for (const turn of turns.slice(skipped)) {
      if (isNew(turn) || turn.start.line === this.lastStart) yield* this.printTurn(session, turn, compactionsOf);
    }
    this.lastStart = turns.at(-1)?.start.line ?? this.lastStart;
    this.isFirst = false;
  }

  /** Only a new prompt proves it: while a compaction is written, turns seem to disappear. */
  private isRewound(turns: readonly TurnOutline[], firstNewLine: number): boolean {
    const isPrompted = (turns.at(-1)?.start.line ?? 0) >= firstNewLine;
    return isPrompted && this.lastStart !== undefined && turns.every(({ start }) => start.line !== this.lastStart);
  }

  private *printPreamble(session: LoadedSession, compactionsOf: CompactionsOf): Generator<string> {
    const { outline } = session;
    const compactions = compactionsOf()(outline.preamble.nodes);
    yield* this.printPart({ ...session.preamble(), followUps: [], compactions }, outline.turns.length > 0);
  }

  private *printTurn(
    session: LoadedSession,
    { index, nodes }: TurnOutline,
    compactionsOf: CompactionsOf,
  ): Generator<string> {
    const { view } = this.options;
    const turn = session.turn(index);
    if (!turn) return;
    const state = { isOver: turn.complete, lastLine: this.lastLine };
    if (this.seen.takesPrompt(turn, state)) yield view.opening(turn, { sessionId: this.sessionId, kept: this.kept });
    yield* this.printPart({ ...turn, compactions: compactionsOf()(nodes) }, turn.complete);
    this.ended = turn.complete ? turn : undefined;
    if (index < session.outline.turns.length) yield* this.printEnd();
  }

  /** The first record of a message already has its stop reason, so a turn has ended only after a pause or when the next one starts. */
  private *printEnd(): Generator<string> {
    const turn = this.ended;
    this.ended = undefined;
    if (turn && this.seen.takesEnd(turn)) yield this.options.view.closing(turn);
  }

  private *printPart(part: TurnContent, isOver: boolean): Generator<string> {
    const taken = this.seen.takePart(part, { isOver, lastLine: this.lastLine });
    for (const { id } of taken.toolCalls) this.running.delete(id);
    for (const call of part.toolCalls) {
      const isWaited = call.status === "orphan" && !isOver && !this.running.has(call.id);
      if (isWaited) this.running.set(call.id, { call, since: Date.now(), isPrinted: false });
    }
    yield this.options.view.part(taken, { sessionId: this.sessionId, kept: this.kept });
  }

  private *printRunning(): Generator<string> {
    for (const entry of this.running.values()) {
      if (entry.isPrinted || Date.now() - entry.since < LONG_CALL_MS) continue;
      entry.isPrinted = true;
      yield this.options.view.running(entry.call);
    }
  }
}
