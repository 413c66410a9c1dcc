import { listAt } from "../../collections.js";
import type { LastPromptFact, LogRecord } from "../../format/record/record.js";
import { isMessageNode, type Links, lastMessageNode, pathTo } from "../graph/link-nodes.js";
import type { Node } from "../graph/node.js";
import { firstSentNode } from "../replay/select-replay.js";
import type { ProblemLog } from "./problem-log.js";

/** Whether the records form one conversation that every version can follow from its end to its root. */
export function checkGraph(nodes: readonly Node[], links: Links, log: ProblemLog): void {
  checkParents(nodes, links, log);
  checkCycles(nodes, links, log);
  checkRoots(nodes, links, log);
  checkForeignNodes(nodes, links, log);
  checkForks(nodes, links, log);
  const last = nodes[links.order.findLast((index) => isMessageNode(nodes[index]) && links.isMain(index)) ?? -1];
  if (last && UNANSWERED_ROLES.has(last.role)) log.add("user-line-last", last.line);
}

/** The file of a sub-agent is all sidechain, but it is not named as a session. */
export function checkSidechain(nodes: readonly Node[], log: ProblemLog): void {
  const talk = nodes.filter(isMessageNode);
  if (talk.length > 0 && talk.every(({ isSidechain }) => isSidechain)) log.add("all-sidechain", 0);
}

const UNANSWERED_ROLES: ReadonlySet<Node["role"]> = new Set<Node["role"]>(["prompt", "notification", "toolResult"]);

function checkParents(nodes: readonly Node[], links: Links, log: ProblemLog): void {
  const firstTalk = nodes.findIndex((node, index) => isMessageNode(node) && links.isMain(index));
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

/** A compaction is a new root by design. Progress and the like without children are no root. */
function checkRoots(nodes: readonly Node[], links: Links, log: ProblemLog): void {
  const roots = nodes.filter((node, index) => {
    const isAnew = node.role === "boundary" || node.role === "compactSummary";
    const isBeginning = isMessageNode(node) || (links.children[index]?.length ?? 0) > 0;
    return node.parentUuid === null && !isAnew && isBeginning && links.isMain(index);
  });
  for (const { line } of roots.slice(1)) log.add("several-roots", line, roots[0]?.line);
}

/** Nodes that the conversation runs through although some versions do not know them. */
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
    const talk = (links.children[index] ?? []).flatMap((child) => nodes[child] ?? []).filter(isMessageNode);
    return talk.length > 1 && talk.some(({ results }) => results);
  });
  if (forks[0]) log.add("forked-results", forks[0].line, forks.length);
}

interface CallFound {
  readonly name: string;
  /** Several where the history was written again. */
  readonly indexes: number[];
}

/** Whether every tool call has one result, and every result a call before it. Pairs over the whole file. */
export function checkCalls(nodes: readonly Node[], links: Links, log: ProblemLog): void {
  const calls = new Map<string, CallFound>();
  const results = new Map<string, number[]>();
  nodes.forEach((node, index) => {
    for (const { id, name } of node.calls ?? []) {
      const found = calls.get(id);
      if (found) found.indexes.push(index);
      else calls.set(id, { name, indexes: [index] });
    }
    for (const { id } of node.results ?? []) listAt(results, id).push(index);
  });
  const open = lastMessage(nodes, links);
  const path = new Set(pathTo(lastMessageNode(nodes, links), links));
  for (const [id, { indexes, name }] of calls) {
    const [first, again] = indexes.filter((index) => path.has(index)).flatMap((index) => nodes[index] ?? []);
    if (first && again && isCopy(first, again)) log.add("double-call", again.line, `${name} ${id}`);
    const { line, message } = nodes[indexes[0] ?? -1] ?? { line: 0 };
    if (!results.has(id)) log.add(message === open ? "pending-tool-use" : "orphan-tool-use", line, `${name} ${id}`);
  }
  for (const [id, found] of results) checkResults(id, calls.get(id)?.indexes, found, nodes, log);
}

/** Another record of the same content. */
function isCopy(a: Node | undefined, b: Node | undefined): boolean {
  return a?.time !== undefined && a.time === b?.time && a.message === b.message && a.uuid !== b.uuid;
}

/** The message at the end of the session, if nothing but results follows it: its calls may still be running. */
function lastMessage(nodes: readonly Node[], links: Links): string | undefined {
  return nodes.findLast(
    ({ kind, role }, index) =>
      (kind === "assistant" || (kind === "user" && role !== "toolResult")) && links.isMain(index),
  )?.message;
}

function checkResults(
  id: string,
  calls: readonly number[] | undefined,
  results: readonly number[],
  nodes: readonly Node[],
  log: ProblemLog,
): void {
  results.forEach((index, position) => {
    const line = nodes[index]?.line ?? 0;
    if (calls === undefined) log.add("orphan-tool-result", line, id);
    else if (index < (calls[0] ?? 0)) log.add("result-before-call", line, id);
    const isCopied = (calls?.length ?? 0) > 1 && isCopy(nodes[results[position - 1] ?? -1], nodes[index]);
    if (position > 0 && !isCopied) log.add("double-result", line, id);
  });
}

/** Older versions find the end of a session by its latest time, so times should follow the conversation. */
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

/** Descendants of the last message end with it too. */
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

export interface LeafCheck {
  add(record: LogRecord): void;
  /** The index of the node that ends the conversation for 2.1.325; -1 where there is none. */
  finish(nodes: readonly Node[], links: Links): number;
}

/** 2.1.325 writes it after a rewind: no leaf. */
const NO_LEAF = "00000000-0000-0000-0000-000000000000";

/** Whether the record named as the end of the conversation exists, and is the end for all versions; the last hint counts. */
export function createLeafCheck(log: ProblemLog): LeafCheck {
  let hint: (LastPromptFact & { readonly line: number }) | undefined;
  return {
    add(record) {
      if (record.kind === "side" && record.fact.kind === "lastPrompt") hint = { ...record.fact, line: record.line };
    },
    finish(nodes, links) {
      const last = lastMessageNode(nodes, links);
      if (!hint || hint.leafUuid === NO_LEAF) return last;
      const { line, leafUuid, isExplicit } = hint;
      const leaf = leafUuid === null ? undefined : links.indexOf.get(leafUuid);
      if (leafUuid !== null && leaf === undefined) log.add("unresolved-leaf", line, leafUuid);
      if ((nodes[last]?.line ?? 0) > line) return last; // the conversation continued
      if (leafUuid === null && isExplicit) {
        log.add("resumes-empty", line);
        return -1;
      }
      if (leaf === undefined || !links.isMain(leaf)) return last;
      const isEnd = isExplicit ? isBelowOrSame(leaf, last, links) : isOnePath(leaf, last, links);
      if (isEnd) return last;
      log.add("leaf-elsewhere", line, nodes[leaf]?.line);
      return leaf;
    },
  };
}

function isBelowOrSame(a: number, above: number, links: Links): boolean {
  return pathTo(a, links).includes(above);
}

/** Whether everything is there that compactions preserved: without one of these records Claude Code drops all of them. */
export function checkPreserved(nodes: readonly Node[], { indexOf }: Links, log: ProblemLog): void {
  for (const { line, preserved } of nodes) {
    const { uuids = [], head, tail } = preserved ?? {};
    const named = uuids.length > 0 ? uuids : [head, tail].filter((uuid) => uuid !== undefined);
    const missing = named.filter((uuid) => !indexOf.has(uuid));
    if (missing.length > 0) log.add("missing-preserved", line, missing.length);
  }
}

function isOnePath(a: number, b: number, links: Links): boolean {
  return pathTo(a, links).includes(b) || pathTo(b, links).includes(a);
}

/** Whether there is a conversation to resume, and whether it starts with user input, as the API demands. */
export function checkStart(nodes: readonly Node[], links: Links, end: number, log: ProblemLog): void {
  if (!nodes.some(isMessageNode)) log.add("no-conversation", 0);
  const first = firstSentNode(pathTo(end, links).flatMap((index) => nodes[index] ?? []));
  if (first?.role === "answer") log.add("answer-first", first.line);
}
