import fc from "fast-check";
import { expect, test } from "vitest";
import { groupByRoot, trackAncestors } from "../../../src/session/graph/ancestors.js";

/** Any parents: before or behind their children, in circles, or none. */
const anyParents = fc.integer({ min: 1, max: 40 }).chain((count) => {
  const parent = fc.oneof(fc.integer({ min: -2, max: count - 1 }), fc.integer({ min: -1, max: 2 }));
  return fc.array(parent, { minLength: count, maxLength: count });
});

function walksTo(index: number, ancestor: number, parent: Int32Array): boolean {
  let at = index;
  for (let steps = 0; at > ancestor && steps < parent.length; steps++) at = parent[at] ?? -1;
  return ancestor >= 0 && at === ancestor && index !== ancestor;
}

test("a node is below another where a walk over parents says so, also while parents change", () => {
  fc.assert(
    fc.property(anyParents, fc.array(fc.nat(39)), (parents, changes) => {
      const parent = Int32Array.from(parents);
      const ancestors = trackAncestors(parent);
      const pairs = parents.flatMap((_, index) => {
        const own = parents.slice(0, index).flatMap((_, a) => parents.map((_, b) => [a, b] as const));
        const answers = own.map(([a, b]) => [ancestors.isBelow(a, b), walksTo(a, b, parent)] as const);
        parent[index] = changes[index] ?? parent[index] ?? -1;
        ancestors.settle(index);
        return answers;
      });
      expect(pairs.map(([found]) => found)).toEqual(pairs.map(([, expected]) => expected));
    }),
  );
});

test("nodes are of one group where their parents lead to the same end", () => {
  fc.assert(
    fc.property(anyParents, (parents) => {
      const parent = Int32Array.from(parents);
      const groups = groupByRoot(parent);
      const endOf = (index: number) => {
        let at = index;
        for (let steps = 0; steps < parent.length && (parent[at] ?? -1) >= 0; steps++) at = parent[at] ?? -1;
        const circle = [at];
        for (let next = parent[at] ?? -1; next >= 0 && next !== at; next = parent[next] ?? -1) circle.push(next);
        return Math.min(...circle);
      };
      const all = parents.flatMap((_, a) => parents.map((_, b) => [a, b] as const));
      expect(all.map(([a, b]) => groups.isSame(a, b))).toEqual(all.map(([a, b]) => endOf(a) === endOf(b)));
    }),
  );
});
