import type { Turn } from "../session/build-turn.js";
import type { Node } from "../session/node.js";
import type { ReadableSession } from "./readable-session.js";

/** Of any branch the turns that say something which this one does not, a turn that goes on differently among them. */
export function turnsBeside({ outline }: ReadableSession): (branch: ReadableSession) => Generator<Turn> {
  const shared = new Set([outline.preamble, ...outline.turns].flatMap(({ nodes }) => nodes.map(({ line }) => line)));
  return function* (branch) {
    for (const { index, nodes } of branch.outline.turns) {
      const turn = nodes.some((node) => isSpoken(node) && !shared.has(node.line)) ? branch.turn(index) : undefined;
      if (turn) yield turn;
    }
  };
}

function isSpoken({ kind }: Node): boolean {
  return kind === "user" || kind === "assistant";
}
