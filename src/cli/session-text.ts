import type { LoadedSession } from "../library/load-session.js";
import type { PaintOptions } from "../render/paint-messages.js";
import { paintHeader, paintPreamble, paintTurn } from "../render/paint-session.js";
import type { TurnOutline } from "../session/outline.js";
import { ownTurns } from "./own-turns.js";
import type { TurnRange } from "./show-options.js";

/** A session for reading, turn by turn; after the first come dead branches. */
export function* sessionText(
  [session, ...dead]: readonly [LoadedSession, ...LoadedSession[]],
  paint: PaintOptions,
  { from, to }: TurnRange,
): Generator<string> {
  const { outline, header } = session;
  yield paintHeader(header, outline.totals, paint);
  if (from === 1) yield paintPreamble(session.preamble(), paint);
  for (const turn of session.turns(from, to)) {
    const sketch = outline.turns[turn.index - 1];
    yield paintTurn(
      turn,
      outline.compactions.filter(({ line }) => isWithin(line, sketch)),
      paint,
    );
  }
  for (const branch of dead) {
    yield `\n${paint.style.yellow(`rewound branch ${branch.outline.activeLeaf}`)}\n`;
    for (const turn of ownTurns(branch, session)) yield paintTurn(turn, [], paint);
  }
}

function isWithin(line: number, turn: TurnOutline | undefined): boolean {
  return turn?.nodes.some((node) => node.line === line) ?? false;
}
