import { fileEventReader, listPerhaps, listUnrecorded, type TouchedFiles } from "../../library/load/touched-files.js";
import type { Clean } from "../../redact/create-redactor.js";
import { pathBelow, safePathParts } from "../../session/file-history/file-path.js";
import { type FileEvent, type FileStep, listSteps } from "../../session/file-history/fold-file.js";
import { type TracedLines, traceLines } from "../../session/file-history/trace-lines.js";
import { countLines, type FilePatch } from "../../session/file-history/unified-diff.js";
import { changedPaths, filePatches } from "../files-diff.js";

/** What a session and its sub-agents changed, file by file, each hunk with the calls that made it. */
export interface SessionChanges {
  readonly cwd: string | null;
  readonly files: readonly ChangedFile[];
  /** Files that shell commands may have moved or removed. */
  readonly perhaps: ReturnType<typeof listPerhaps>;
  /** Changes of shell commands of which files or lines are not recorded. */
  readonly unrecorded: ReturnType<typeof listUnrecorded>;
  /** Shell commands that ran, and those of which it is recorded what they changed. */
  readonly shell: TouchedFiles["shell"];
}

export interface ChangedFile {
  readonly path: string;
  readonly name: string; // below the session's folder, else the path
  readonly isOutside: boolean;
  readonly state: "added" | "changed" | "removed";
  readonly added: number; // lines
  readonly removed: number;
  /** False: the content is only partly known, and the hunks are single edits, one after the other. */
  readonly isWhole: boolean;
  /** Null: too long for an answer about all files. */
  readonly hunks: readonly ChangedHunk[] | null;
  /** Every write and edit, in the order of time. */
  readonly steps: readonly ChangeStep[];
  /** What the hunks cannot show. */
  readonly notes: readonly string[];
}

export interface ChangedHunk {
  readonly oldStart: number; // 1-based; 0 where the place in the file is not known
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[]; // each with its sign
  /** The steps that made it, as positions in `steps`. */
  readonly by: readonly number[];
}

export interface ChangeStep {
  readonly turn: number; // 0: before the first
  readonly agentId: string | null; // null: the session itself
  readonly callId: string | null;
  readonly tool: string | null;
}

export interface ChangesRequest {
  readonly clean: Clean;
  /** Only this file, whole. */
  readonly path?: string | undefined;
}

/** Longer ones are answered when they are asked for by their path. */
const FILE_LINES = 1500;
const ALL_LINES = 20_000;

/** Yields after each file, so that a server can answer other requests in between. */
export function* viewingChanges(files: TouchedFiles, { clean, path }: ChangesRequest): Generator<void, SessionChanges> {
  const eventsOf = fileEventReader(files);
  const shown: ChangedFile[] = [];
  let left = ALL_LINES;
  for (const changed of changedPaths(files)) {
    if (path !== undefined && path !== changed && path !== clean(changed, "path")) continue;
    const file = changedFile(
      changed,
      files.cwd,
      readOnce(() => eventsOf(changed)),
    );
    if (file) {
      const lines = (file.hunks ?? []).reduce((sum, hunk) => sum + hunk.lines.length, 0);
      const isShort = path !== undefined || (lines <= FILE_LINES && lines <= left);
      if (isShort) left -= lines;
      shown.push(clean(isShort ? file : { ...file, hunks: null }, "diff"));
    }
    yield;
  }
  const { cwd, shell } = files;
  const others = { cwd, perhaps: listPerhaps(files), unrecorded: listUnrecorded(files) };
  return { ...clean(others, "files"), files: shown, shell };
}

/** The lines of a file after the last change, to show what is around a hunk. Undefined where its content is not known. */
export function linesAfter(files: TouchedFiles, { clean, path }: ChangesRequest): readonly string[] | undefined {
  const changed = changedPaths(files).find((one) => one === path || clean(one, "path") === path);
  if (changed === undefined) return undefined;
  let after: FileStep["after"];
  for (const step of listSteps(fileEventReader(files)(changed))) after = step.after;
  return typeof after === "string" ? clean(after.split("\n"), "diff") : undefined;
}

const KEPT_CHARACTERS = 16_000_000;

/** Events are read several times: those of most files fit into memory. */
function readOnce(read: () => Iterable<FileEvent>): () => Iterable<FileEvent> {
  let kept: FileEvent[] | undefined = [];
  let characters = 0;
  for (const event of read()) {
    const contents = event.kind === "call" ? [event.call.before, event.call.after] : [];
    for (const content of contents) characters += content?.length ?? 0;
    if (characters > KEPT_CHARACTERS) kept = undefined;
    if (!kept) break;
    kept.push(event);
  }
  return kept ? () => kept ?? [] : read;
}

function changedFile(path: string, cwd: string | null, events: () => Iterable<FileEvent>): ChangedFile | undefined {
  const below = pathBelow(path, cwd);
  const patchName = below ?? safePathParts(path).join("/");
  const notes: string[] = [];
  const patches = [...filePatches(patchName, events, (text) => notes.push(text.slice(patchName.length + 2)))];
  const { steps, traced } = followSteps(events);
  if (steps.length === 0) return undefined;
  const made = patches.flatMap(({ patch, step }) => hunksOf(patch, madeBy(step, steps, traced)));
  return {
    path,
    name: below ?? path,
    isOutside: below === undefined,
    state: stateOf(patches.map(({ patch }) => patch)),
    ...countLines(made),
    isWhole: patches[0]?.step === undefined,
    hunks: made,
    steps,
    notes,
  };
}

interface FollowedSteps {
  readonly steps: readonly ChangeStep[];
  readonly traced: TracedLines;
}

/** One content is in memory at a time. */
function followSteps(events: () => Iterable<FileEvent>): FollowedSteps {
  const steps: ChangeStep[] = [];
  function* changes() {
    for (const { turn, by, before = null, after = null } of listSteps(events())) {
      steps.push({ turn, agentId: by?.agentId ?? null, callId: by?.callId ?? null, tool: by?.tool ?? null });
      yield { before, after };
    }
  }
  return { traced: traceLines(changes()), steps };
}

type MadeBy = (hunk: Pick<ChangedHunk, "oldStart" | "newStart" | "lines">) => number[];

/** The steps that wrote or removed the lines of a hunk. */
function madeBy(step: FileStep | undefined, steps: readonly ChangeStep[], traced: TracedLines): MadeBy {
  if (step) {
    const at = steps.findIndex(({ callId, agentId }) => callId === step.by?.callId && agentId === step.by?.agentId);
    return () => (at < 0 ? [] : [at]);
  }
  return ({ oldStart, newStart, lines }) => {
    const by = new Set<number | undefined>();
    let [before, after] = [oldStart - 1, newStart - 1];
    for (const line of lines) {
      if (line.startsWith("+")) by.add(traced.writtenBy[after]);
      if (line.startsWith("-")) by.add(traced.removedBy.get(before));
      if (/^[+ ]/.test(line)) after += 1;
      if (/^[- ]/.test(line)) before += 1;
    }
    return [...by].filter((one) => one !== undefined).sort((a, b) => a - b);
  };
}

function hunksOf({ hunks }: FilePatch, by: MadeBy): ChangedHunk[] {
  return hunks.map((hunk) => ({ ...hunk, by: by(hunk) }));
}

function stateOf(patches: readonly FilePatch[]): ChangedFile["state"] {
  if (patches.at(-1)?.isDelete) return "removed";
  return patches[0]?.isCreate ? "added" : "changed";
}
