import { expect, test } from "vitest";
import { planRound, runRound } from "./fault-rounds.js";

const { TURNLOG_SOAK: isSoak, TURNLOG_SEED: seed } = process.env;
const FIRST = Number(seed ?? (isSoak ? Date.now() % 1_000_000_000 : 20_261_118));
const ROUNDS = isSoak ? 200 : 16;

/** Rounds that found something once. */
const FOUND = [1106];

const seeds = [...FOUND, ...Array.from({ length: ROUNDS }, (_, at) => FIRST + at)];
const rounds = seeds.map((seed) => ({ seed, ...planRound(seed) }));

/** `TURNLOG_SOAK=1 TURNLOG_SEED=<seed>` begins with that round. */
test.each(rounds)(
  "round $seed, $command killed before change $killAt, source $change: nothing is lost",
  async (round) => {
    expect(await runRound(round)).toEqual({ lost: [], halved: [], left: [], missing: [] });
  },
);
