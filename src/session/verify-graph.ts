import type { Links } from "./link-nodes.js";
import type { Node } from "./node.js";
import type { ProblemLog } from "./problem-log.js";
import { isTalk } from "./way-to-end.js";

/** Whether the records form one conversation that every client can follow from its end to its beginning. */
export function checkGraph(nodes: readonly Node[], links: Links, log: ProblemLog): void {
  checkParents(nodes, links, log);
  checkCycles(nodes, links, log);
  checkRoots(nodes, links, log);
  checkForeignNodes(nodes, links, log);
  checkForks(nodes, links, log);
  const last = nodes[links.order.findLast((index) => isTalk(nodes[index]) && links.isMain(index)) ?? -1];
  if (last && UNANSWERED_ROLES.has(last.role)) log.add("user-line-last", last.line);
}

/** The file of a sub-agent is all sidechain, but it is not named as a session. */
export function checkSidechain(nodes: readonly Node[], log: ProblemLog): void {
  const talk = nodes.filter(isTalk);
  if (talk.length > 0 && talk.every(({ isSidechain }) => isSidechain)) log.add("all-sidechain", 0);
}

const UNANSWERED_ROLES: ReadonlySet<Node["role"]> = new Set<Node["role"]>(["prompt", "notification", "toolResult"]);

function checkParents(nodes: readonly Node[], links: Links, log: ProblemLog): void {
  const firstTalk = nodes.findIndex((node, index) => isTalk(node) && links.isMain(index));
  nodes.forEach((node, index) => {
    if (typeof node.parentUuid !== "string" || node.role === "boundary") return;
    const parent = links.indexOf.get(node.parentUuid);
    if (parent === undefined) {
      const isFirst = firstTalk < 0 || index <= firstTalk;
      log.add(isFirst ? "missing-first-parent" : "missing-parent", node.line, node.parentUuid);
    } else if (parent > index) {
      log.add("child-before-parent", node.line, nodes[parent]?.line);
    }
  });
}

function checkCycles(nodes: readonly Node[], { warnings }: Links, log: ProblemLog): void {
  const ownParents = new Set(nodes.filter(isOwnParent).map(({ line }) => line));
  for (const { line, code } of warnings) {
    if (code === "parent-cycle") log.add(ownParents.has(line) ? "self-parent" : "parent-cycle", line);
  }
}

function isOwnParent({ uuid, parentUuid }: Node): boolean {
  return uuid !== undefined && uuid === parentUuid;
}

/** A compaction begins anew by design, and with progress or the like on which nothing hangs nothing begins. */
function checkRoots(nodes: readonly Node[], links: Links, log: ProblemLog): void {
  const roots = nodes.filter((node, index) => {
    const isAnew = node.role === "boundary" || node.role === "compactSummary";
    const isBeginning = isTalk(node) || (links.children[index]?.length ?? 0) > 0;
    return node.parentUuid === null && !isAnew && isBeginning && links.isMain(index);
  });
  for (const { line } of roots.slice(1)) log.add("several-roots", line, roots[0]?.line);
}

/** Nodes that carry the conversation on although some clients do not know them. */
function checkForeignNodes(nodes: readonly Node[], links: Links, log: ProblemLog): void {
  const carriers = nodes.filter((_, index) => links.isMain(index) && (links.children[index]?.length ?? 0) > 0);
  for (const { line, kind } of carriers) if (kind === "other") log.add("unknown-type-in-chain", line);
  const progress = carriers.filter(({ kind }) => kind === "progress");
  const first = progress[0];
  if (first) log.add("progress-in-chain", first.line, progress.length);
}

function checkForks(nodes: readonly Node[], links: Links, log: ProblemLog): void {
  const forks = nodes.filter((node, index) => {
    if (!node.calls || !links.isMain(index)) return false;
    const talk = (links.children[index] ?? []).flatMap((child) => nodes[child] ?? []).filter(isTalk);
    return talk.length > 1 && talk.some(({ results }) => results);
  });
  if (forks[0]) log.add("forked-results", forks[0].line, forks.length);
}
