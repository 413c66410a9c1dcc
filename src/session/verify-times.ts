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
  checkEnd(nodes, links, log);
}

/** What hangs on the last message of the file ends with it too. */
function checkEnd(nodes: readonly Node[], links: Links, log: ProblemLog): void {
  let last = -1;
  let latest = -1;
  nodes.forEach(({ kind, time }, index) => {
    if ((kind !== "user" && kind !== "assistant") || time === undefined || !links.isMain(index)) return;
    last = index;
    if (latest < 0 || time > (nodes[latest]?.time ?? 0)) latest = index;
  });
  const isLater = (nodes[latest]?.time ?? 0) > (nodes[last]?.time ?? 0);
  if (isLater && !leadsTo(last, latest, links)) log.add("later-elsewhere", nodes[last]?.line ?? 0, nodes[latest]?.line);
}

function leadsTo(from: number, to: number, { parent }: Links): boolean {
  let at = to;
  while (at >= 0 && at !== from) at = parent[at] ?? -1;
  return at === from;
}
