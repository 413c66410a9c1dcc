import { countLeading, listAt } from "../../collections.js";
import type { Node } from "../../session/graph/node.js";
import type { BranchViewer, Outline } from "../../session/open-session.js";
import type { CompactionOutline } from "../../session/turns/compactions.js";
import type { TurnOutline } from "../../session/turns/outline-turns.js";

/** A turn of any branch, with every record that any branch gives it. */
export interface CollectedTurn {
  readonly sketch: TurnOutline;
  readonly outline: Outline;
  readonly compactions: readonly CompactionOutline[];
}

export interface CollectedTurns {
  readonly active: Outline;
  /** In file order; rewound ones too, since they were asked and paid for. */
  readonly turns: readonly CollectedTurn[];
  /** What precedes the first turn on any branch. */
  readonly preamble: readonly Node[];
}

/** The turns of all branches of a session, each once. */
export function collectTurns({ view, viewEnd }: BranchViewer): CollectedTurns {
  const active = view();
  const dead = active.deadBranches.flatMap(({ leaf }) => (leaf === null ? [] : [viewEnd(leaf)]));
  const branches = [active, ...dead];
  const found = new Map<string, { readonly outline: Outline; readonly sketches: TurnOutline[] }>();
  for (const outline of branches) {
    for (const sketch of outline.turns) {
      const key = placeKey(sketch.start);
      const known = found.get(key);
      if (known) known.sketches.push(sketch);
      else found.set(key, { outline, sketches: [sketch] });
    }
  }
  const turns = [...found.values()].map(({ outline, sketches }) => ({ outline, sketch: join(sketches) }));
  turns.sort((a, b) => inFileOrder(a.sketch.start, b.sketch.start));
  const compactions = ownersOf(branches, turns);
  return {
    active,
    turns: turns.map((turn) => ({ ...turn, compactions: compactions.get(turn.sketch) ?? [] })),
    preamble: uniqueNodes(branches.flatMap(({ preamble }) => preamble.nodes)),
  };
}

/** Branches may part inside a turn; a turn that one of them completed is complete. */
function join([first, ...others]: readonly TurnOutline[]): TurnOutline {
  if (!first) throw new RangeError("a turn has at least one sketch");
  if (others.length === 0) return first;
  const all = [first, ...others];
  return {
    ...first,
    nodes: uniqueNodes(all.flatMap(({ nodes }) => nodes)),
    isComplete: all.some(({ isComplete }) => isComplete),
  };
}

function uniqueNodes(nodes: readonly Node[]): Node[] {
  return [...new Map(nodes.map((node) => [placeKey(node), node])).values()].sort(inFileOrder);
}

/** Glued records share a line. */
function placeKey({ line, offset }: Node): string {
  return `${line}:${offset}`;
}

function inFileOrder(a: Node, b: Node): number {
  return a.line - b.line || a.offset - b.offset;
}

function ownersOf(
  branches: readonly Outline[],
  turns: readonly { readonly sketch: TurnOutline }[],
): Map<TurnOutline, CompactionOutline[]> {
  const byLine = new Map(branches.flatMap(({ compactions }) => compactions.map((it) => [it.line, it] as const)));
  const owners = new Map<TurnOutline, CompactionOutline[]>();
  for (const compaction of byLine.values()) {
    const before = countLeading(turns.length, (at) => (turns[at]?.sketch.start.line ?? 0) < compaction.line);
    const owner = turns[before - 1] ?? turns[0];
    if (owner) listAt(owners, owner.sketch).push(compaction);
  }
  return owners;
}
