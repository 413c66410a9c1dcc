import type { LoadedSession } from "../library/load-session.js";
import type { PaintOptions } from "../render/paint-messages.js";
import { paintHeader, paintPreamble, paintTurn } from "../render/paint-session.js";
import type { TurnOutline } from "../session/outline.js";
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
  if (range.from === 1) yield paintPreamble(clean(session.preamble(), "preamble"), paint);
  for (const turn of session.turns(range.from, range.to)) {
    const sketch = outline.turns[turn.index - 1];
    yield paintTurn(
      clean(turn, "turn"),
      outline.compactions.filter(({ line }) => isWithin(line, sketch)),
      paint,
    );
  }
  for (const branch of dead) {
    yield `\n${paint.style.yellow(`rewound branch ${branch.outline.activeLeaf}`)}\n`;
    for (const turn of ownTurns(branch, session)) yield paintTurn(clean(turn, "turn"), [], paint);
  }
}

function isWithin(line: number, turn: TurnOutline | undefined): boolean {
  return turn?.nodes.some((node) => node.line === line) ?? false;
}
