import { listAt } from "../../collections.js";
import { type FileCall, isFileTool, toFileCalls } from "../../format/record/file-changes.js";
import type { ToolStatus } from "../messages/tool-status.js";
import type { ToolCall } from "../turns/tool-calls.js";
import { pathBelow, resolvePath } from "./file-path.js";
import { countLines, findHunks } from "./unified-diff.js";

/** A call that read, wrote or edited a file, without the content. */
export interface FileTouch {
  readonly path: string;
  readonly kind: FileCall["kind"];
  readonly status: ToolStatus;
  readonly isNew: boolean; // there was no such file before
  /** Lines; null: not recorded. */
  readonly added: number | null;
  readonly removed: number | null;
}

export function toFileTouches(call: ToolCall, cwd: string | null): FileTouch[] {
  return toFileCalls(call).map((fileCall) => {
    const { kind, path, before } = fileCall;
    // What a shell command changed was found by looking, however the command ended.
    const status = isFileTool(call.name) ? call.status : "ok";
    const isChange = kind !== "read" && status === "ok";
    return {
      path: resolvePath(path, cwd),
      kind,
      status,
      isNew: isChange && before === null,
      ...(isChange ? changedLines(fileCall) : { added: 0, removed: 0 }),
    };
  });
}

function changedLines({ before, after, hunks, replacements }: FileCall): Pick<FileTouch, "added" | "removed"> {
  if (hunks.length > 0) return countLines(hunks);
  if (before !== undefined && typeof after === "string") return countLines(findHunks(before ?? "", after));
  const isOnce = replacements.length > 0 && replacements.every(({ isEverywhere }) => !isEverywhere);
  return isOnce
    ? countLines(replacements.flatMap(({ from, to }) => findHunks(from, to)))
    : { added: null, removed: null };
}

/** A touch with its turn and agent. */
export interface DatedTouch extends FileTouch {
  readonly site: { readonly turn: number; readonly agentId: string | null };
}

/** What a session did with one file. */
export interface FileSummary {
  readonly path: string;
  readonly name: string | null; // relative to the session's folder; null: outside of it
  readonly reads: number;
  readonly writes: number;
  readonly edits: number;
  readonly failed: number; // errors, refusals, interrupted and unanswered calls
  readonly isNew: boolean;
  /** Lines of all changes together; null: not recorded. */
  readonly added: number | null;
  readonly removed: number | null;
  readonly turns: readonly number[];
  readonly agents: readonly string[];
  readonly bySession: boolean; // not by sub-agents alone
}

/** In the order in which the files were first touched. */
export function sumFiles(touches: readonly DatedTouch[], cwd: string | null): FileSummary[] {
  const byPath = new Map<string, DatedTouch[]>();
  for (const touch of touches) listAt(byPath, touch.path).push(touch);
  return [...byPath].map(([path, own]) => sumFile(path, own, cwd));
}

function sumFile(path: string, touches: readonly DatedTouch[], cwd: string | null): FileSummary {
  const done = touches.filter(({ status }) => status === "ok");
  const count = (kind: FileTouch["kind"]) => done.filter((touch) => touch.kind === kind).length;
  return {
    path,
    name: pathBelow(path, cwd) ?? null,
    reads: count("read"),
    writes: count("write"),
    edits: count("edit"),
    failed: touches.length - done.length,
    isNew: done.find(({ kind }) => kind !== "read")?.isNew ?? false,
    added: sumKnown(done.map(({ added }) => added)),
    removed: sumKnown(done.map(({ removed }) => removed)),
    turns: [...new Set(touches.map(({ site }) => site.turn))].sort((a, b) => a - b),
    agents: [...new Set(touches.flatMap(({ site }) => site.agentId ?? []))],
    bySession: touches.some(({ site }) => site.agentId === null),
  };
}

function sumKnown(counts: readonly (number | null)[]): number | null {
  return counts.reduce((sum, count) => (sum === null || count === null ? null : sum + count), 0);
}
