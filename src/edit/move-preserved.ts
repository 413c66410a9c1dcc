import type { Node } from "../session/node.js";
import { selectReplay } from "../session/select-replay.js";
import type { EditSource } from "./edit-source.js";

export interface PreservedMoves {
  /** The branch with what was preserved behind the summary. */
  readonly branch: readonly Node[];
  readonly preserved: readonly Node[];
}

/**
 * A compaction may name records before it that stay in the context. Older clients do not know of that, and a client that
 * misses one of them loses all: so the records themselves are written behind the summary.
 */
export function movePreserved({ outline }: EditSource, branch: readonly Node[]): PreservedMoves {
  const { kept: preserved, compactionLine } = selectReplay({ ...outline, active: branch });
  const summaryAt = branch.findLastIndex(({ role, line }) => role === "compactSummary" && line === compactionLine);
  if (preserved.length === 0) return { branch, preserved };
  const isPreserved = new Set(preserved);
  const stay = branch.slice(0, summaryAt + 1).filter((node) => !isPreserved.has(node));
  return { branch: [...stay, ...preserved, ...branch.slice(summaryAt + 1)], preserved };
}
