import type { LoadedSession } from "../library/load-session.js";
import type { Turn } from "../session/build-turn.js";
import type { Node } from "../session/node.js";

/** The turns of a branch that say something which another one does not, a turn that goes on differently among them. */
export function* ownTurns(branch: LoadedSession, other: LoadedSession): Generator<Turn> {
  const { preamble, turns } = other.outline;
  const shared = new Set([preamble, ...turns].flatMap(({ nodes }) => nodes.map(({ line }) => line)));
  for (const { index, nodes } of branch.outline.turns) {
    const turn = nodes.some((node) => isSpoken(node) && !shared.has(node.line)) ? branch.turn(index) : undefined;
    if (turn) yield turn;
  }
}

function isSpoken({ kind }: Node): boolean {
  return kind === "user" || kind === "assistant";
}
