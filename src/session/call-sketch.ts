import type { Links } from "./link-nodes.js";
import { listAt } from "./list-at.js";
import type { CallName, Node, ResultSketch } from "./node.js";
import type { ToolStatus } from "./tool-status.js";

/** One tool call of the active branch, without input and output. */
export interface CallSketch {
  readonly id: string;
  readonly name: string;
  readonly status: ToolStatus;
  readonly shown: ResultSketch | undefined; // the result that counts, if there are several
  readonly results: number;
  readonly startedAt: number | undefined; // ms since the epoch
  readonly endedAt: number | undefined;
}

interface TimedResult extends ResultSketch {
  readonly time: number | undefined;
}

/** Pairs over the whole file, in any order, across messages and compactions. */
export function callSketcher(
  nodes: readonly Node[],
  links: Links,
): (active: readonly Node[]) => Map<string, CallSketch> {
  const results = new Map<string, TimedResult[]>();
  nodes.forEach((node, index) => {
    if (!links.isMain(index)) return;
    for (const result of node.results ?? []) listAt(results, result.id).push({ time: node.time, ...result });
  });
  return (active) => {
    const calls = new Map<string, CallSketch>();
    for (const node of active) {
      if (node.role === "injectedAnswer") continue;
      for (const { id, name } of node.calls ?? []) {
        if (!calls.has(id)) calls.set(id, toSketch({ id, name }, node.time, results.get(id) ?? []));
      }
    }
    return calls;
  };
}

function toSketch({ id, name }: CallName, startedAt: number | undefined, results: readonly TimedResult[]): CallSketch {
  const shown = shownResult(results);
  return {
    id,
    name,
    status: shown?.status ?? "orphan",
    shown,
    results: results.length,
    startedAt,
    endedAt: shown?.time,
  };
}

/** Some calls have an error first and the real answer after it. */
export function shownResult<T extends { readonly isError: boolean }>(results: readonly T[]): T | undefined {
  return results.findLast(({ isError }) => !isError) ?? results.at(-1);
}
