import { isFileError, UserError } from "../errors.js";
import { readRecordsAt, type WantedPlace } from "../format/reader/record-reader.js";
import type { LogRecord } from "../format/record/record.js";
import { type Bodies, bodyPlace, indexBodies, type Node } from "./graph/node.js";
import type { Outline } from "./open-session.js";
import { buildPreamble, buildTurn, type Preamble, type Turn } from "./turns/build-turn.js";
import { buildCompaction, type Compaction } from "./turns/compactions.js";
import { turnAt } from "./turns/outline-turns.js";

/** The turns of an outline. Each is built when it is asked for, from the bodies of its own records. */
export interface TurnReader {
  preamble(): Preamble;
  turn(index: number): Turn | undefined; // 1-based
  turns(from?: number, to?: number): Generator<Turn>;
  compactions(): Compaction[];
}

export function turnReader(outline: Outline, bodiesOf: (nodes: readonly Node[]) => Bodies): TurnReader {
  function turn(index: number): Turn | undefined {
    const found = turnAt(outline, index);
    return found && buildTurn(found, bodiesOf(found.nodes), outline);
  }

  return {
    preamble: () => buildPreamble(outline.preamble, bodiesOf(outline.preamble.nodes), outline),
    turn,
    *turns(from = 1, to = Number.POSITIVE_INFINITY) {
      const [first, last] = [outline.turns[0]?.index ?? 1, outline.turns.at(-1)?.index ?? 0];
      for (let index = Math.max(first, from); index <= Math.min(to, last); index++) {
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
  const bodies = indexBodies(readAt(path, places));
  if (nodes.some((node) => !isBodyOf(bodies.of(node), node))) throw rewritten(path);
  return bodies;
}

function* readAt(path: string, places: Iterable<WantedPlace>): Generator<LogRecord> {
  try {
    yield* readRecordsAt(path, places);
  } catch (error) {
    throw isFileError(error) && error.code === "ENOENT" ? rewritten(path, error) : error;
  }
}

/** In a file that was cut, trimmed or rewritten since its outline was made, anything may be at the place of a record. */
function isBodyOf(record: LogRecord | undefined, { time }: Node): boolean {
  if (!record || record.kind === "broken") return false;
  const found = Date.parse(record.timestamp ?? "");
  return Number.isNaN(found) ? time === undefined : found === time;
}

function rewritten(path: string, cause?: Error): UserError {
  const message = `${path} was ${cause ? "deleted or moved" : "rewritten"} while it was read`;
  return new UserError("busy", message, "run the command again", { cause });
}
