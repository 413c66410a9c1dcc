import type { Outline } from "./outline.js";

/** The number of the turn in which each call was made. */
export function callTurns({ turns }: Outline): Map<string, number> {
  return new Map(
    turns.flatMap(({ index, nodes }) => nodes.flatMap(({ calls = [] }) => calls.map(({ id }) => [id, index] as const))),
  );
}
