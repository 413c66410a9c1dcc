import type { Links } from "./link-nodes.js";
import { listAt } from "./list-at.js";
import type { Node } from "./node.js";
import type { ProblemLog } from "./problem-log.js";
import { lastTalk, wayTo } from "./way-to-end.js";

interface CallFound {
  readonly name: string;
  /** Several where a client wrote its history again. */
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
  const way = new Set(wayTo(lastTalk(nodes, links), links));
  for (const [id, { indexes, name }] of calls) {
    const [first, again] = indexes.filter((index) => way.has(index)).flatMap((index) => nodes[index] ?? []);
    if (first && again && isCopy(first, again)) log.add("double-call", again.line, `${name} ${id}`);
    const { line, message } = nodes[indexes[0] ?? -1] ?? { line: 0 };
    if (!results.has(id)) log.add(message === open ? "pending-tool-use" : "orphan-tool-use", line, `${name} ${id}`);
  }
  for (const [id, found] of results) checkResults(id, calls.get(id)?.indexes, found, nodes, log);
}

/** Another record of what was said once. */
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
