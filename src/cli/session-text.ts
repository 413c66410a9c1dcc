import type { LoadedSession } from "../library/load-session.js";
import { neutralize } from "../render/neutralize.js";
import type { PaintOptions } from "../render/paint-messages.js";
import { paintHeader, paintPreamble, paintTurn } from "../render/paint-session.js";
import type { Turn } from "../session/build-turn.js";
import type { Compaction } from "../session/compactions.js";
import type { Node } from "../session/node.js";
import type { Outline } from "../session/outline.js";
import type { Clean } from "./clean.js";
import { ownTurns } from "./own-turns.js";
import type { TurnRange } from "./show-options.js";

export interface TextView {
  readonly range: TurnRange;
  readonly clean: Clean;
  readonly paint: PaintOptions;
}

/** A session for reading, turn by turn; after the first come dead branches. */
export function* sessionText(
  [session, ...dead]: readonly [LoadedSession, ...LoadedSession[]],
  { range, clean, paint }: TextView,
): Generator<string> {
  const { outline, header } = session;
  yield paintHeader(clean(header, "session"), outline.totals, paint);
  if (range.from === 1) yield preambleText(session, clean, paint);
  for (const turn of session.turns(range.from, range.to)) yield turnText(turn, outline, clean, paint);
  for (const branch of dead) {
    const leaf = neutralize(branch.outline.activeLeaf ?? "");
    yield `\n${paint.style.yellow(`rewound branch ${leaf}`)}\n`;
    for (const turn of ownTurns(branch, session)) yield turnText(turn, branch.outline, clean, paint);
  }
}

function preambleText(session: LoadedSession, clean: Clean, paint: PaintOptions): string {
  const { outline } = session;
  return paintPreamble(clean(session.preamble(), "preamble"), compactionsIn(outline.preamble.nodes, outline), paint);
}

function turnText(turn: Turn, outline: Outline, clean: Clean, paint: PaintOptions): string {
  const nodes = outline.turns[turn.index - 1]?.nodes ?? [];
  return paintTurn(clean(turn, "turn"), compactionsIn(nodes, outline), paint);
}

function compactionsIn(nodes: readonly Node[], { compactions }: Outline): Compaction[] {
  const lines = new Set(nodes.map(({ line }) => line));
  return compactions.filter(({ line }) => lines.has(line));
}
