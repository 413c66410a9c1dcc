import fc from "fast-check";
import { expect, test } from "vitest";
import { blameLines, type LineOrigin } from "../../../src/session/blame/blame-lines.js";
import { runs } from "../../runs.js";
import { makeWorld, type World } from "./file-world.js";
import type { TrueLine } from "./true-lines.js";

const anyWorld = fc
  .record({ seed: fc.nat(), steps: fc.integer({ min: 1, max: 25 }), hasRepository: fc.boolean() })
  .map(makeWorld);

function isTrue(origin: LineOrigin, line: TrueLine | undefined): boolean {
  if (origin.kind === "turn") return line?.turns.has(origin.turn) ?? false;
  return origin.kind === "unknown" || (line?.commits.has(origin.id) ?? false);
}

function falseLines({ truth, ...history }: World): string[] {
  return blameLines(history).flatMap((origin, at) => {
    const line = truth[at];
    return isTrue(origin, line) ? [] : [`line ${at + 1} "${line?.text}": ${JSON.stringify(origin)}`];
  });
}

test("no line is given to a turn or a commit that did not write it, whatever happened to the file", () => {
  fc.assert(
    fc.property(anyWorld, (world) => {
      expect(falseLines(world)).toEqual([]);
    }),
    runs(250),
  );
});
