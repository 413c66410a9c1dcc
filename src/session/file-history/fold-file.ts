import { applyPatch } from "diff";
import type { FileCall, FileContent, Hunk, Replacement } from "../../format/record/file-changes.js";

/** One thing that is known about a file, in the order of time. Turn 0 is before the first. */
export type FileEvent =
  | { readonly kind: "call"; readonly turn: number; readonly call: FileCall; readonly by?: CallSite }
  /** A backup by Claude Code. */
  | { readonly kind: "seen"; readonly turn: number; readonly content: string | null; readonly isAtPrompt: boolean }
  /** It may have changed here, in an unknown way. */
  | { readonly kind: "doubt"; readonly turn: number; readonly reason: string };

/** The tool call behind an event. */
export interface CallSite {
  readonly callId: string;
  readonly tool: string;
  readonly agentId: string | null; // null: the session itself
  readonly at: number; // ms since the epoch; may be infinite
}

/** A write or an edit, with the content around it where that is known. */
export interface FileStep {
  readonly turn: number;
  readonly call: FileCall;
  readonly by: CallSite | undefined;
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
  /** Turns in which the file was not as the session had left it: the result includes those changes. */
  readonly changedBefore: readonly number[];
  /** What may have happened to it after its last change. */
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

/** The content at the end of a turn, checked against what later events found. */
export function contentAt(events: Iterable<FileEvent>, turn: number): FileState {
  let state = UNKNOWN;
  for (const event of events) {
    if (event.turn <= turn) state = advance(state, event).state;
    else if (event.kind !== "doubt") return compareWithLater(state, event, turn);
  }
  return state;
}

type KnownContent = Exclude<FileEvent, { kind: "doubt" }>;

function compareWithLater(state: FileState, event: KnownContent, turn: number): FileState {
  const found = contentFound(event, state.content);
  if (found === undefined) return state;
  const isJustThen = event.kind === "seen" && event.isAtPrompt && event.turn === turn + 1;
  if (isJustThen || isSame(found, state.content)) return { content: found, doubts: [] };
  if (state.content !== undefined) {
    return {
      ...state,
      doubts: [...state.doubts, `something else changed it before turn ${event.turn}, perhaps by that time`],
    };
  }
  return {
    content: found,
    doubts: [`its content at that time is not recorded; this is what turn ${event.turn} found`],
  };
}

interface Advance {
  readonly state: FileState;
  readonly step?: FileStep;
  /** The content found differs from the content before. */
  readonly isOther?: boolean;
}

function advance(state: FileState, event: FileEvent): Advance {
  if (event.kind === "doubt") return { state: { ...state, doubts: [...state.doubts, event.reason] } };
  const found = contentFound(event, state.content);
  const isOther = found !== undefined && state.content !== undefined && !isSame(found, state.content);
  const start = found === undefined ? state : { content: found, doubts: [] };
  if (event.kind === "seen" || event.call.kind === "read") return { state: start, isOther };
  return { ...change(start, event), isOther };
}

function change(start: FileState, { turn, call, by }: Extract<FileEvent, { kind: "call" }>): Advance {
  const { before, after } = applyFileCall(call, start.content);
  const step = { turn, call, by, before, after };
  if (after === undefined) {
    const reason = `an edit in turn ${turn} is not recorded well enough to follow it`;
    return { step, state: { content: undefined, doubts: [reason] } };
  }
  return { step, state: { content: after, doubts: call.after === undefined ? start.doubts : [] } };
}

/** A backup has the bytes of the file, records have other line ends. */
function contentFound(event: KnownContent, known: FileContent): FileContent {
  if (event.kind === "seen") return event.content;
  return withLineEndsOf(known, event.call.kind === "read" ? event.call.after : event.call.before);
}

function isSame(found: FileContent, known: FileContent): boolean {
  return found === known || (typeof known === "string" && known === found?.replaceAll("\r\n", "\n"));
}

export interface AppliedCall {
  readonly before: FileContent;
  readonly after: FileContent;
}

/** What a write or an edit found and left, from its own records and what is known of the file so far. */
export function applyFileCall(call: FileCall, known: FileContent): AppliedCall {
  const before = call.before === undefined ? known : withLineEndsOf(known, call.before);
  if (call.after !== undefined) return { before, after: call.after };
  const after = call.kind === "edit" ? edited(call, asRecorded(before)) : undefined;
  return { before, after: withLineEndsOf(before, after) };
}

/** Records hold LF where the file has CRLF, and Claude Code writes CRLF back. */
function withLineEndsOf(model: FileContent, content: FileContent): FileContent {
  if (typeof content !== "string" || typeof model !== "string" || !model.includes("\r\n")) return content;
  return content.includes("\r\n") ? content : content.replaceAll("\n", "\r\n");
}

function asRecorded(content: FileContent): FileContent {
  return typeof content === "string" ? content.replaceAll("\r\n", "\n") : content;
}

function edited({ replacements, hunks }: FileCall, before: FileContent): string | undefined {
  const replaced = replaceAll(replacements, before);
  const patched = typeof before === "string" ? applyHunks(hunks, before) : undefined;
  if (patched === undefined || replaced === undefined || patched === replaced) return replaced ?? patched;
  // Some versions show tabs as spaces in the hunks. Else the hunks are right: a person may have changed the edit.
  return withoutSpace(patched) === withoutSpace(replaced) ? replaced : patched;
}

function replaceAll(replacements: readonly Replacement[], before: FileContent): string | undefined {
  let text = before ?? (before === null ? "" : undefined);
  for (const replacement of replacements) text = text === undefined ? undefined : replace(text, replacement);
  return replacements.length === 0 ? undefined : text;
}

/** Undefined where the text does not occur exactly once, unless all occurrences are meant. */
function replace(text: string, { from, to, isEverywhere }: Replacement): string | undefined {
  if (from === "") return text === "" ? to : undefined;
  const at = text.indexOf(from);
  if (at < 0) return undefined;
  if (isEverywhere) return text.replaceAll(from, () => to);
  return text.indexOf(from, at + 1) < 0 ? text.slice(0, at) + to + text.slice(at + from.length) : undefined;
}

function applyHunks(hunks: readonly Hunk[], before: string): string | undefined {
  const lines = before.split("\n").length;
  // The search for the place of a hunk walks from there to the file, however far that is.
  if (hunks.length === 0 || hunks.some(({ oldStart }) => oldStart > lines + 1)) return undefined;
  const patch = { oldFileName: "", newFileName: "", oldHeader: "", newHeader: "", hunks: hunks.map(toPatchHunk) };
  const after = applyPatch(before, patch, { autoConvertLineEndings: false });
  return after === false ? undefined : after;
}

function toPatchHunk({ oldStart, oldLines, newStart, newLines, lines }: Hunk) {
  return { oldStart, oldLines, newStart, newLines, lines: [...lines] };
}

function withoutSpace(text: string): string {
  return text.replace(/[ \t]+/g, "");
}
