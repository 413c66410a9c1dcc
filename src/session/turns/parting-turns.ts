import { countLeading } from "../../collections.js";
import type { Node } from "../graph/node.js";
import { promptKey, type TurnOutline, type TurnsBefore } from "./outline-turns.js";

/** The end of a branch, and what precedes it. */
export interface BranchEnd {
  readonly nodes: readonly Node[];
  readonly before: TurnsBefore;
}

interface ResumedBranch {
  readonly active: readonly Node[];
  readonly turns: readonly TurnOutline[];
}

/** The nodes of a branch from a place of the resumed one on. */
type ReadEnd = (from: number) => readonly Node[];

/**
 * Where a rewound branch is read from: the start of the turn in which it parts from the resumed one. What follows must not change
 * that it is a turn, so a command counts only if the model answered it before. Where the branch has more of an earlier turn, such as
 * a late result, it is read from there.
 */
export function partingTurns({ active, turns }: ResumedBranch): (place: number, read: ReadEnd) => BranchEnd {
  const places = new Map(active.map((node, place) => [node, place]));
  const placeOf = (node: Node) => places.get(node) ?? Number.POSITIVE_INFINITY;
  const starts = turns.map(({ start }) => placeOf(start));
  const firstPrompts = new Map<string, number>(); // places, by key
  active.forEach((node, place) => {
    const key = promptKey(node);
    if (key !== undefined && !firstPrompts.has(key)) firstPrompts.set(key, place);
  });
  const ownerOf = findOwners(turns);
  const turnOf = new Map(turns.flatMap(({ nodes }, at) => nodes.map((node) => [node, at] as const)));

  /** How many turns precede the one that a branch is read from. */
  function countBefore(place: number): number {
    let at = countLeading(starts.length, (at) => (starts[at] ?? 0) <= place) - 1;
    while (at >= 0 && !isSettled(turns[at], place)) at -= 1;
    return Math.max(0, at);
  }

  function isSettled(turn: TurnOutline | undefined, place: number): boolean {
    if (turn?.start.role === "prompt") return true;
    return turn?.nodes.some((node) => node.role === "answer" && placeOf(node) <= place) ?? false;
  }

  const before = (count: number): TurnsBefore => {
    const from = starts[count] ?? 0;
    return { count, last: turns[count - 1], hasPrompt: (key) => (firstPrompts.get(key) ?? from) < from };
  };

  return (place, read) => {
    let count = place < 0 ? 0 : countBefore(place);
    for (;;) {
      const nodes = read(count === 0 ? 0 : (starts[count] ?? 0));
      const earliest = nodes.reduce((least, node) => Math.min(least, places.has(node) ? least : ownerOf(node)), count);
      if (earliest < count) {
        count = earliest;
        continue;
      }
      const isLater = (node: Node) => (turnOf.get(node) ?? count) >= count;
      return { nodes: count === 0 ? nodes : nodes.filter(isLater), before: before(count) };
    }
  };
}

/** The number of the turns before the one that a record belongs to by its message or its call. */
function findOwners(turns: readonly TurnOutline[]): (node: Node) => number {
  const messages = new Map<string, number>();
  const calls = new Map<string, number>();
  turns.forEach(({ nodes }, at) => {
    for (const { message, calls: own = [] } of nodes) {
      if (message !== undefined) messages.set(message, at);
      for (const { id } of own) calls.set(id, at);
    }
  });
  const later = Number.POSITIVE_INFINITY;
  return ({ message, results = [] }) => {
    if (message !== undefined) return messages.get(message) ?? later;
    return results.reduce((least, { id }) => Math.min(least, calls.get(id) ?? later), later);
  };
}
