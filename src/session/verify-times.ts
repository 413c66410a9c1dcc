import type { Links } from "./link-nodes.js";
import type { Node } from "./node.js";
import type { ProblemLog } from "./problem-log.js";

/** Older clients find the end of a session by its latest time, so times should follow the conversation. */
export function checkTimes(nodes: readonly Node[], links: Links, log: ProblemLog): void {
  let before: number | undefined;
  const early: Node[] = [];
  nodes.forEach((node, index) => {
    if (node.time === undefined || !links.isMain(index)) return;
    if (before !== undefined && node.time < before) early.push(node);
    before = node.time;
    const parent = nodes[links.parent[index] ?? -1];
    const isAnswer = node.kind === "assistant" && parent?.kind === "user";
    if (isAnswer && parent.time === node.time) log.add("equal-times", node.line);
  });
  if (early[0]) log.add("time-goes-back", early[0].line, early.length);
}
