import type { LoadedSession } from "../library/load-session.js";
import { neutralize } from "../render/neutralize.js";
import type { PaintOptions } from "../render/paint-messages.js";
import { paintHeader, paintPreamble, paintSubagents, paintTurn } from "../render/paint-session.js";
import type { Turn } from "../session/build-turn.js";
import type { Compaction } from "../session/compactions.js";
import { findKeptRecords } from "../session/kept-records.js";
import type { Node } from "../session/node.js";
import type { Clean } from "./clean.js";
import { turnsBeside } from "./own-turns.js";
import type { TurnRange } from "./show-options.js";

export interface TextView {
  readonly range: TurnRange;
  readonly clean: Clean;
  readonly paint: PaintOptions;
}

/** A session for reading, turn by turn; then the dead branches with these leaves. */
export function* sessionText(session: LoadedSession, deadLeaves: readonly string[], view: TextView): Generator<string> {
  const { range, clean, paint } = view;
  yield paintHeader(clean(session.header, "session"), session.outline.totals, paint);
  yield* branchText(session, session.turns(range.from, range.to), view);
  yield paintSubagents(clean(session.subagents(), "sub-agents"), paint);
  const ownTurns = turnsBeside(session);
  for (const leaf of deadLeaves) {
    const branch = session.branch(leaf);
    yield `\n${paint.style.yellow(`rewound branch ${neutralize(branch.outline.activeLeaf ?? "")}`)}\n`;
    yield* branchText(branch, ownTurns(branch), { ...view, range: AFTER_PREAMBLE });
  }
}

/** What stands before the first turn belongs to all branches. */
const AFTER_PREAMBLE: TurnRange = { from: 2, to: Number.POSITIVE_INFINITY };

function* branchText(
  session: LoadedSession,
  turns: Iterable<Turn>,
  { range, clean, paint }: TextView,
): Generator<string> {
  const { outline } = session;
  const compactions = clean(session.compactions(), "compaction");
  const kept = findKeptRecords(outline);
  const cutsIn = (nodes: readonly Node[]) => ({ compactions: compactionsIn(nodes, compactions), kept });
  if (range.from === 1) {
    yield paintPreamble(clean(session.preamble(), "preamble"), cutsIn(outline.preamble.nodes), paint);
  }
  for (const turn of turns) {
    const nodes = outline.turns[turn.index - 1]?.nodes ?? [];
    yield paintTurn(clean(turn, "turn"), cutsIn(nodes), paint);
  }
}

/** A compaction belongs where its first record stands. */
export function compactionsIn(nodes: readonly Node[], compactions: readonly Compaction[]): Compaction[] {
  const lines = new Set(nodes.map(({ line }) => line));
  return compactions.filter(({ line }) => lines.has(line));
}
