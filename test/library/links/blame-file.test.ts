import { expect, test } from "vitest";
import { blameFile } from "../../../src/library/links/blame-file.js";
import { makeWorld, type WorldOptions } from "../../session/blame/file-world.js";
import { writeRepository } from "./blamed-repository.js";

const MANY_COMMITS = Array.from({ length: process.env["TURNLOG_SOAK"] ? 10 : 1 }, (_, at) => 100 + at);

/** How many lines were given to whom, and those of them that are wrong. */
async function blameWorld(options: Omit<WorldOptions, "hasRepository">) {
  const world = makeWorld({ ...options, hasRepository: true });
  const { file, root, shas, turns } = writeRepository(world);
  const blame = await blameFile(file, root);
  const wrong = blame.lines.filter(({ origin }, at) => {
    const truth = world.truth[at];
    if (origin.kind === "unknown") return false;
    if (origin.kind === "commit") return ![...(truth?.commits ?? [])].some((id) => shas.get(id) === origin.id);
    const turn = turns[(blame.turns[origin.turn]?.turn ?? 0) - 1];
    return turn === null || turn === undefined || !truth?.turns.has(turn);
  });
  const count = (kind: string) => blame.lines.filter(({ origin }) => origin.kind === kind).length;
  return { wrong, turns: count("turn"), commits: count("commit"), made: world.commits.length };
}

test("in a real repository and a real session no line is given to a wrong turn or commit", async () => {
  const told = [await blameWorld({ seed: 2, steps: 20 }), await blameWorld({ seed: 5, steps: 40 })];
  expect(told.map(({ wrong }) => wrong)).toEqual([[], []]);
  expect(Math.min(...told.map(({ turns }) => turns), ...told.map(({ commits }) => commits))).toBeGreaterThan(0);
});

test.each(MANY_COMMITS)("also after more than 500 commits, seed %i", async (seed) => {
  const { wrong, made } = await blameWorld({ seed, steps: 900 });
  expect(wrong).toEqual([]);
  expect(made).toBeGreaterThan(500);
});
