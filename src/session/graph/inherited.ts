import type { MessageOutline } from "../messages/message.js";
import type { Links } from "./link-nodes.js";
import type { Node } from "./node.js";

/** What the file of a forked sub-agent holds before its directive is a copy of the conversation that it began with. */
export function markInherited(
  messages: ReadonlyMap<string, MessageOutline>,
  nodes: readonly Node[],
  { isMain }: Links,
): ReadonlyMap<string, MessageOutline> {
  const start = nodes.findLastIndex(({ forkCall }, index) => forkCall !== undefined && isMain(index));
  if (start < 0) return messages;
  const inherited = new Set(nodes.slice(0, start).map(({ message }) => message));
  const marks = { isCopied: true, isInherited: true };
  return new Map([...messages].map(([key, known]) => [key, inherited.has(key) ? { ...known, ...marks } : known]));
}

/** A branch, and before it what a forked sub-agent began with: calls and turns before its directive are not its own. */
export interface SplitBranch {
  readonly inherited: readonly Node[];
  readonly active: readonly Node[];
}

export function splitAtFork(branch: readonly Node[], isAgentFile: boolean): SplitBranch {
  const start = isAgentFile ? branch.findLastIndex(({ forkCall }) => forkCall !== undefined) : -1;
  if (start < 0) return { inherited: [], active: branch };
  return { inherited: branch.slice(0, start), active: branch.slice(start) };
}
