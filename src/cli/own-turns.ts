import type { LoadedSession } from "../library/load-session.js";
import type { Turn } from "../session/build-turn.js";

/** The turns of a branch that another one does not have. */
export function* ownTurns(branch: LoadedSession, other: LoadedSession): Generator<Turn> {
  const shared = new Set(other.outline.turns.map(({ start }) => start.line));
  for (const { index, start } of branch.outline.turns) {
    const turn = shared.has(start.line) ? undefined : branch.turn(index);
    if (turn) yield turn;
  }
}
