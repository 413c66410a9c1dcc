import type { Bodies, Node } from "../../session/graph/node.js";
import type { Outline } from "../../session/open-session.js";
import { buildTurn } from "../../session/turns/build-turn.js";
import { buildCompaction } from "../../session/turns/compactions.js";
import type { TurnOutline } from "../../session/turns/outline-turns.js";
import type { CollectedTurn } from "./collect-turns.js";
import { answerMessage, type ChatMessage, lastThatFit, lengthOf, userMessage } from "./conversation.js";
import { givenToModel, linesOf } from "./given-to-model.js";

/** The conversation before a turn, as far as a target would get it. */
export type EarlierTurns = (turn: CollectedTurn) => readonly ChatMessage[];

const KEPT_TURNS = 100;

/**
 * Reads back from a turn until there is enough, or a compaction, whose summary stands for what precedes it. Turns that several
 * conversations share are built once.
 */
export function earlierTurns(
  active: Outline,
  bodiesOf: (nodes: readonly Node[]) => Bodies,
  enough = 200_000,
): EarlierTurns {
  const built = new Map<TurnOutline, Part>();

  function partOf(turn: TurnOutline, outline: Outline): Part {
    const known = built.get(turn);
    if (known) return known;
    const part = buildPart(turn, outline, bodiesOf);
    if (built.size >= KEPT_TURNS) built.clear();
    built.set(turn, part);
    return part;
  }

  return ({ sketch, outline }) => {
    const before = turnsBefore(sketch, outline, active);
    const parts: Part[] = [];
    let chars = 0;
    for (const turn of before.toReversed()) {
      const part = partOf(turn, outline);
      parts.unshift(part);
      chars += part.chars;
      if (part.isBeginning || chars > enough) break;
    }
    return lastThatFit(
      parts.flatMap(({ messages }) => messages),
      enough,
    );
  };
}

/** A rewound branch begins with the turns that it shares with the active one. */
function turnsBefore(turn: TurnOutline, outline: Outline, active: Outline): readonly TurnOutline[] {
  const own = outline.turns.filter(({ index }) => index < turn.index);
  const first = outline.turns[0]?.index ?? 1;
  return outline === active ? own : [...active.turns.filter(({ index }) => index < first), ...own];
}

interface Part {
  readonly messages: readonly ChatMessage[];
  readonly chars: number;
  /** It begins with the summary of a compaction. */
  readonly isBeginning: boolean;
}

function buildPart(sketch: TurnOutline, outline: Outline, bodiesOf: (nodes: readonly Node[]) => Bodies): Part {
  const lines = new Set(sketch.nodes.map(({ line }) => line));
  const compacted = outline.compactions.findLast(({ line }) => lines.has(line));
  const bodies = bodiesOf(sketch.nodes);
  const turn = buildTurn(sketch, bodies, outline);
  const records = bodies.all(sketch.nodes);
  const lineOf = linesOf(records);
  const from = compacted?.line ?? 0;
  const given = givenToModel({ ...turn, records }, userMessage(turn.prompt));
  const said = turn.messages.flatMap((message) => {
    if (message.author !== "model") return [];
    const all = [...given(message), answerMessage(message)];
    return (lineOf.get(message.recordUuids[0] ?? "") ?? from) < from ? [] : all;
  });
  const summary = compacted && buildCompaction(compacted, bodies).summary;
  const messages = summary ? [userMessage(summary), ...said] : said;
  return { messages, chars: messages.reduce((sum, it) => sum + lengthOf(it), 0), isBeginning: compacted !== undefined };
}
