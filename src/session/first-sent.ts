import type { Node } from "./node.js";

/** What a client sends first of a branch: it begins to read at the last compaction. */
export function firstSent(branch: readonly Node[]): Node | undefined {
  const start = branch.findLastIndex(({ role }) => role === "boundary" || role === "compactSummary");
  return branch.slice(Math.max(0, start)).find(isSent);
}

/** What a client wrote in the model's place is left out. */
function isSent({ kind, role }: Node): boolean {
  return kind === "user" || role === "answer" || role === "localCommand" || role === "localOutput";
}
