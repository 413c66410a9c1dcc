import type { LogRecord } from "../format/record.js";
import { indexBodies } from "./bodies.js";
import { buildPreamble, buildTurn, type Preamble, type Turn } from "./build-turn.js";
import { openSession } from "./open-session.js";
import type { Outline, TurnOutline } from "./outline.js";

export interface GroupedTurns {
  readonly preamble: Preamble;
  readonly turns: readonly Turn[];
  /** How many of the records, from the first, are settled: a last turn that waits for its answer is not. */
  readonly consumed: number;
}

/** Turns of the active branch. To go on later, keep what was not consumed and add the new records to it. */
export function groupTurns(records: readonly LogRecord[]): GroupedTurns {
  const session = openSession();
  for (const record of records) session.push(record);
  const outline = session.view();
  const bodies = indexBodies(records);
  return {
    preamble: buildPreamble(outline.preamble, bodies, outline),
    turns: outline.turns.map((turn) => buildTurn(turn, bodies, outline)),
    consumed: countConsumed(records, outline),
  };
}

function countConsumed(records: readonly LogRecord[], outline: Outline): number {
  const last = outline.turns.at(-1);
  if (!last || isAnswered(last, outline)) return records.length;
  return records.findIndex(({ line, offset }) => line === last.start.line && offset === last.start.offset);
}

function isAnswered({ nodes }: TurnOutline, { calls }: Outline): boolean {
  const hasOpenCall = nodes.some((node) => node.calls?.some(({ id }) => calls.get(id)?.status === "orphan"));
  return !hasOpenCall && nodes.some(({ role }) => role === "answer" || role === "apiError" || role === "interrupt");
}
