import type { PreservedFields } from "../format/record.js";
import { preservedUuids } from "./kept-records.js";
import type { Node } from "./node.js";
import type { Outline } from "./outline.js";

/** The records that make up the model's context at the end of a branch, in the order in which it reads them. */
export interface ReplaySelection {
  readonly nodes: readonly Node[];
  /** The line of the summary that it starts with. */
  readonly compactionLine: number | null;
  /** How many records a compaction kept that are not on this branch. */
  readonly missingPreserved: number;
}

/** From the last compaction on: its summary, the records that it kept, and what followed. */
export function selectReplay(outline: Outline): ReplaySelection {
  const all = outline.active.filter(({ isSidechain }) => !isSidechain || outline.isAgentFile);
  const at = all.findLastIndex(({ role }) => role === "compactSummary");
  const summary = all[at];
  if (!summary) return { nodes: all, compactionLine: null, missingPreserved: 0 };
  const before = all.slice(0, at);
  const rest = all.slice(at + 1);
  const asked = preservedUuids(preservedAt(summary, before, outline), before);
  const kept = before.filter(({ uuid }) => uuid !== undefined && asked.has(uuid));
  return {
    nodes: [summary, ...withRelatives(kept, before, rest), ...rest],
    compactionLine: summary.line,
    missingPreserved: asked.size - kept.length,
  };
}

function preservedAt(summary: Node, before: readonly Node[], { compactions }: Outline): PreservedFields | null {
  const boundary = before.findLast(({ role, uuid }) => role === "boundary" && uuid === summary.parentUuid);
  return compactions.find(({ line }) => line === boundary?.line)?.preserved ?? null;
}

/** A kept record brings the rest of its message, and every call in the context brings its results. */
function withRelatives(kept: readonly Node[], before: readonly Node[], rest: readonly Node[]): Node[] {
  const own = new Set(kept);
  const messages = new Set(kept.flatMap(({ message }) => message ?? []));
  const isKept = (node: Node) => own.has(node) || (node.message !== undefined && messages.has(node.message));
  const calls = new Set([...before.filter(isKept), ...rest].flatMap((node) => (node.calls ?? []).map(({ id }) => id)));
  return before.filter((node) => isKept(node) || isResultOf(node, calls));
}

function isResultOf({ kind, results = [] }: Node, calls: ReadonlySet<string>): boolean {
  return kind === "user" && results.some(({ id }) => calls.has(id));
}
