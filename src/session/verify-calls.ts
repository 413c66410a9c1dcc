import type { Links } from "./link-nodes.js";
import type { Node } from "./node.js";
import type { ProblemLog } from "./problem-log.js";

interface CallFound {
  readonly index: number;
  readonly name: string;
}

/** Whether every tool call has one result, and every result a call before it. Pairs over the whole file. */
export function checkCalls(nodes: readonly Node[], links: Links, log: ProblemLog): void {
  const calls = new Map<string, CallFound>();
  const results = new Map<string, number[]>();
  nodes.forEach((node, index) => {
    for (const { id, name } of node.calls ?? []) if (!calls.has(id)) calls.set(id, { index, name });
    for (const { id } of node.results ?? []) results.set(id, [...(results.get(id) ?? []), index]);
  });
  const open = lastMessage(nodes, links);
  for (const [id, { index, name }] of calls) {
    const { line, message } = nodes[index] ?? { line: 0 };
    if (!results.has(id)) log.add(message === open ? "pending-tool-use" : "orphan-tool-use", line, `${name} ${id}`);
  }
  for (const [id, found] of results) checkResults(id, calls.get(id)?.index, found, nodes, log);
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
  call: number | undefined,
  results: readonly number[],
  nodes: readonly Node[],
  log: ProblemLog,
): void {
  results.forEach((index, position) => {
    const line = nodes[index]?.line ?? 0;
    if (call === undefined) log.add("orphan-tool-result", line, id);
    else if (index < call) log.add("result-before-call", line, id);
    if (position > 0) log.add("double-result", line, id);
  });
}
