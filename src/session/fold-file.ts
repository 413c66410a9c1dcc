import type { FileCall, FileContent } from "../format/file-call.js";
import { applyFileCall, withLineEndsOf } from "./apply-file-call.js";

/** One thing that is known about a file, in the order of time. Turn 0 stands before the first. */
export type FileEvent =
  | { readonly kind: "call"; readonly turn: number; readonly call: FileCall }
  /** A copy that the client kept. */
  | { readonly kind: "seen"; readonly turn: number; readonly content: string | null; readonly isAtPrompt: boolean }
  /** It may have changed here; nothing tells how. */
  | { readonly kind: "doubt"; readonly turn: number; readonly reason: string };

/** A write or an edit, with the content around it where that is known. */
export interface FileStep {
  readonly turn: number;
  readonly call: FileCall;
  readonly before: FileContent;
  readonly after: FileContent;
}

export interface FileState {
  readonly content: FileContent;
  /** Why the content may be another; none: it is exact. */
  readonly doubts: readonly string[];
}

/** From before the first change of a session to after its last. */
export interface FoldedFile {
  readonly before: FileContent;
  readonly after: FileContent;
  /** Turns in which the file was found otherwise than the session had left it: the fold holds that too. */
  readonly changedBefore: readonly number[];
  /** What may have become of it after its last change. */
  readonly doubts: readonly string[];
}

const UNKNOWN: FileState = { content: undefined, doubts: [] };

/** Undefined for a file that was never changed. A file that is gone after a command that removes it was removed. */
export function foldFile(events: Iterable<FileEvent>): FoldedFile | undefined {
  let folded: FoldedFile | undefined;
  let state = UNKNOWN;
  const changedBefore: number[] = [];
  let isPerhapsRemoved = false;
  for (const event of events) {
    const next = advance(state, event);
    if (next.step) {
      if (next.isOther && folded) changedBefore.push(event.turn);
      folded = { before: folded ? folded.before : next.step.before, after: next.step.after, changedBefore, doubts: [] };
    }
    isPerhapsRemoved = event.kind === "doubt" || (isPerhapsRemoved && !next.step);
    state = next.state;
  }
  if (!folded) return undefined;
  const isRemoved = isPerhapsRemoved && state.content === null;
  return isRemoved ? { ...folded, after: null } : { ...folded, doubts: state.doubts };
}

/** Every write and edit, one after the other. */
export function* listSteps(events: Iterable<FileEvent>): Generator<FileStep> {
  let state = UNKNOWN;
  for (const event of events) {
    const next = advance(state, event);
    state = next.state;
    if (next.step) yield next.step;
  }
}

/** The content at the end of a turn. What comes later is asked what it found. */
export function contentAt(events: Iterable<FileEvent>, turn: number): FileState {
  let state = UNKNOWN;
  for (const event of events) {
    if (event.turn <= turn) state = advance(state, event).state;
    else if (event.kind !== "doubt") return compareWithLater(state, event, turn);
  }
  return state;
}

type Telling = Exclude<FileEvent, { kind: "doubt" }>;

function compareWithLater(state: FileState, event: Telling, turn: number): FileState {
  const found = contentFound(event, state.content);
  if (found === undefined) return state;
  const isJustThen = event.kind === "seen" && event.isAtPrompt && event.turn === turn + 1;
  if (isJustThen || isSame(found, state.content)) return { content: found, doubts: [] };
  if (state.content !== undefined) {
    return {
      ...state,
      doubts: [...state.doubts, `something else changed it before turn ${event.turn}, perhaps by then`],
    };
  }
  return { content: found, doubts: [`nothing tells what it held then; turn ${event.turn} found this`] };
}

interface Advance {
  readonly state: FileState;
  readonly step?: FileStep;
  /** What was found is not what had been left. */
  readonly isOther?: boolean;
}

function advance(state: FileState, event: FileEvent): Advance {
  if (event.kind === "doubt") return { state: { ...state, doubts: [...state.doubts, event.reason] } };
  const found = contentFound(event, state.content);
  const isOther = found !== undefined && state.content !== undefined && !isSame(found, state.content);
  const start = found === undefined ? state : { content: found, doubts: [] };
  if (event.kind === "seen" || event.call.kind === "read") return { state: start, isOther };
  return { ...change(start, event.turn, event.call), isOther };
}

function change(start: FileState, turn: number, call: FileCall): Advance {
  const { before, after } = applyFileCall(call, start.content);
  const step = { turn, call, before, after };
  if (after === undefined) {
    const reason = `an edit in turn ${turn} is not recorded well enough to follow it`;
    return { step, state: { content: undefined, doubts: [reason] } };
  }
  return { step, state: { content: after, doubts: call.after === undefined ? start.doubts : [] } };
}

/** A copy has the bytes of the file, records have other line ends. */
function contentFound(event: Telling, known: FileContent): FileContent {
  if (event.kind === "seen") return event.content;
  return withLineEndsOf(known, event.call.kind === "read" ? event.call.after : event.call.before);
}

function isSame(found: FileContent, known: FileContent): boolean {
  return found === known || (typeof known === "string" && known === found?.replaceAll("\r\n", "\n"));
}
