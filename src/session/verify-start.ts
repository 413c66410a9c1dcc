import { firstSent } from "./first-sent.js";
import type { Links } from "./link-nodes.js";
import type { Node } from "./node.js";
import type { ProblemLog } from "./problem-log.js";
import { isTalk, wayTo } from "./way-to-end.js";

/** Whether there is something to go on from, and whether it begins as the API wants it: with a person's words. */
export function checkStart(nodes: readonly Node[], links: Links, end: number, log: ProblemLog): void {
  if (!nodes.some(isTalk)) log.add("no-conversation", 0);
  const first = firstSent(wayTo(end, links).flatMap((index) => nodes[index] ?? []));
  if (first?.role === "answer") log.add("answer-first", first.line);
}
