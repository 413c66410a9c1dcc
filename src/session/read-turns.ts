import { readRecordsAt } from "../format/reader/record-reader.js";
import { type Bodies, bodyPlace, indexBodies, type Node } from "./graph/node.js";
import type { Outline } from "./open-session.js";
import { buildPreamble, buildTurn, type Preamble, type Turn } from "./turns/build-turn.js";
import { buildCompaction, type Compaction } from "./turns/compactions.js";

/** The turns of an outline. Each is built when it is asked for, from the bodies of its own records. */
export interface TurnReader {
  preamble(): Preamble;
  turn(index: number): Turn | undefined; // 1-based
  turns(from?: number, to?: number): Generator<Turn>;
  compactions(): Compaction[];
}

export function turnReader(outline: Outline, bodiesOf: (nodes: readonly Node[]) => Bodies): TurnReader {
  function turn(index: number): Turn | undefined {
    const found = outline.turns[index - 1];
    return found && buildTurn(found, bodiesOf(found.nodes), outline);
  }

  return {
    preamble: () => buildPreamble(outline.preamble, bodiesOf(outline.preamble.nodes), outline),
    turn,
    *turns(from = 1, to = outline.turns.length) {
      for (let index = Math.max(1, from); index <= Math.min(to, outline.turns.length); index++) {
        const built = turn(index);
        if (built) yield built;
      }
    },
    compactions: () => {
      const bodies = bodiesOf(outline.compactions.flatMap(({ summaryNode }) => summaryNode ?? []));
      return outline.compactions.map((compaction) => buildCompaction(compaction, bodies));
    },
  };
}

/** Longer lines with successful tool results are read abridged: only the start of each text. */
export function readBodies(
  path: string,
  nodes: readonly Node[],
  longestResult = Number.POSITIVE_INFINITY, // bytes
): Bodies {
  const places = nodes.map((node) => ({
    ...bodyPlace(node),
    isAbridged: node.length > longestResult && (node.results?.every(({ isError }) => !isError) ?? false),
  }));
  return indexBodies(readRecordsAt(path, places));
}
