import type { LoadedSession } from "../library/load-session.js";
import { formatCount } from "../render/format-values.js";
import { paintHeader, paintPreamble, paintTurn } from "../render/paint-session.js";
import type { TurnOutline } from "../session/outline.js";
import type { Io } from "./io.js";
import { ownTurns } from "./own-turns.js";
import { parseTurnRange, type ShowOptions, toPaintOptions } from "./show-options.js";

/** A session for reading, turn by turn. */
export function writeSessionText(
  [session, ...dead]: readonly [LoadedSession, ...LoadedSession[]],
  options: ShowOptions,
  io: Io,
): void {
  const paint = toPaintOptions(options, io);
  const { from, to } = parseTurnRange(options.turns);
  const { outline, header } = session;
  io.stdout(paintHeader(header, outline.totals, paint));
  if (from === 1) io.stdout(paintPreamble(session.preamble(), paint));
  for (const turn of session.turns(from, to)) {
    const sketch = outline.turns[turn.index - 1];
    io.stdout(
      paintTurn(
        turn,
        outline.compactions.filter(({ line }) => isWithin(line, sketch)),
        paint,
      ),
    );
  }
  for (const branch of dead) {
    io.stdout(`\n${paint.style.yellow(`rewound branch ${branch.outline.activeLeaf}`)}\n`);
    for (const turn of ownTurns(branch, session)) io.stdout(paintTurn(turn, [], paint));
  }
  writeNotes(session, dead.length, io);
}

function isWithin(line: number, turn: TurnOutline | undefined): boolean {
  return turn?.nodes.some((node) => node.line === line) ?? false;
}

function writeNotes({ outline }: LoadedSession, shownBranches: number, io: Io): void {
  const hidden = outline.deadBranches.length - shownBranches;
  if (hidden > 0) io.stderr(`${formatCount(hidden, "rewound branch", "rewound branches")} not shown (--branch all)\n`);
  const { warnings } = outline;
  if (warnings.length > 0) io.stderr(`${formatCount(warnings.length, "warning")} (turnlog verify tells more)\n`);
}
