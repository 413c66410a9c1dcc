import { neutralize } from "../render/neutralize.js";
import type { PaintOptions } from "../render/paint-messages.js";
import { paintHeader, paintPreamble, paintSubagents, paintTurn } from "../render/paint-session.js";
import type { ShownSession } from "../render/shown-session.js";

/** A session for reading, turn by turn; then its rewound branches. */
export function* sessionText(session: ShownSession, paint: PaintOptions): Generator<string> {
  yield paintHeader(session.header, session.totals, paint);
  yield paintPreamble(session.preamble(), paint);
  for (const turn of session.turns()) yield paintTurn(turn, paint);
  yield paintSubagents(session.subagents(), paint);
  for (const { leaf, turns } of session.rewound()) {
    yield `\n${paint.style.yellow(`rewound branch ${neutralize(leaf)}`)}\n`;
    for (const turn of turns()) yield paintTurn(turn, paint);
  }
}
