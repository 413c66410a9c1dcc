import { pathBelow } from "./file-path.js";
import type { FileTouch } from "./file-touch.js";
import { listAt } from "./list-at.js";

/** A touch, and who did it when. */
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
  /** Lines of all changes together; null: the records do not tell. */
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
