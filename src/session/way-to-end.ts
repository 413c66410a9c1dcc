import type { Links } from "./link-nodes.js";
import type { Node } from "./node.js";

/** The last message of the file; -1 where there is none. */
export function lastTalk(nodes: readonly Node[], { isMain }: Links): number {
  return nodes.findLastIndex((node, index) => isTalk(node) && isMain(index));
}

/** The nodes that lead to one, the first of them first. */
export function wayTo(end: number, { parent }: Links): number[] {
  const way: number[] = [];
  for (let at = end; at >= 0; at = parent[at] ?? -1) way.push(at);
  return way.reverse();
}

export function isTalk(node: Node | undefined): boolean {
  return node?.kind === "user" || node?.kind === "assistant";
}
