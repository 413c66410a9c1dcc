import { readRecordsAt } from "../format/record-reader.js";
import type { CallSketch } from "../session/call-sketch.js";
import { type FileUse, toFileUse } from "../session/file-use.js";
import { bodyPlace, type Node } from "../session/node.js";
import type { Outline } from "../session/outline.js";
import type { LoadedSession } from "./load-session.js";

/** A file that tool calls of a session named, and what they did with it. */
export interface TouchedFile {
  readonly path: string;
  readonly read: number;
  readonly written: number;
  readonly edited: number;
  readonly other: number; // calls of tools that are not known to do the one or the other
  readonly failed: number; // of whatever kind
  /** In which turns; what a sub-agent did counts for the turn that launched it. */
  readonly turns: readonly number[];
  /** Whether a sub-agent was among them. */
  readonly bySubagent: boolean;
}

/** The files of a session and its sub-agents, in the order in which they came up. */
export function filesTouched(
  session: LoadedSession,
  loadSubagent: (path: string) => LoadedSession | undefined,
): TouchedFile[] {
  const files = new Map<string, Tally>();
  const turnOfCall = callTurns(session.outline);
  for (const { id, ...use } of fileUses(session)) count(files, use, turnOfCall.get(id), false);
  for (const { path, toolUseId } of session.subagents()) {
    const agent = path === session.path ? undefined : loadSubagent(path);
    const turn = turnOfCall.get(toolUseId ?? "");
    for (const use of agent ? fileUses(agent) : []) count(files, use, turn, true);
  }
  return [...files].map(([path, { turns, ...tally }]) => ({
    path,
    ...tally,
    turns: [...turns].sort((a, b) => a - b),
  }));
}

/** The number of the turn in which each call was made. */
export function callTurns({ turns }: Outline): Map<string, number> {
  return new Map(
    turns.flatMap(({ index, nodes }) => nodes.flatMap(({ calls = [] }) => calls.map(({ id }) => [id, index] as const))),
  );
}

interface Tally {
  read: number;
  written: number;
  edited: number;
  other: number;
  failed: number;
  bySubagent: boolean;
  readonly turns: Set<number>;
}

interface CountedUse extends FileUse {
  readonly isFailed: boolean;
}

function count(
  files: Map<string, Tally>,
  { path, how, isFailed }: CountedUse,
  turn: number | undefined,
  bySubagent: boolean,
): void {
  const tally = files.get(path) ?? emptyTally();
  tally[isFailed ? "failed" : how] += 1;
  tally.bySubagent ||= bySubagent;
  if (turn !== undefined) tally.turns.add(turn);
  files.set(path, tally);
}

function emptyTally(): Tally {
  return { read: 0, written: 0, edited: 0, other: 0, failed: 0, bySubagent: false, turns: new Set() };
}

/** Only the records that hold calls are read again, not what the tools returned. */
function* fileUses({ path, outline }: LoadedSession): Generator<CountedUse & { readonly id: string }> {
  const seen = new Set<string>();
  for (const record of readRecordsAt(path, outline.active.filter(hasCalls).map(bodyPlace))) {
    if (record.kind !== "assistant") continue;
    for (const block of record.blocks) {
      if (block.kind !== "toolCall" || seen.has(block.id)) continue;
      seen.add(block.id);
      const call = outline.calls.get(block.id);
      const use = call && toFileUse(block.name, block.input);
      if (use) yield { ...use, id: block.id, isFailed: isFailed(call) };
    }
  }
}

function hasCalls({ calls = [] }: Node): boolean {
  return calls.length > 0;
}

function isFailed({ status }: CallSketch): boolean {
  return status === "error" || status === "denied" || status === "interrupted";
}
