import { expect, test } from "vitest";
import { runRound } from "./sync-rounds.js";

const { TURNLOG_SOAK: isSoak, TURNLOG_SEED: seed } = process.env;
const FIRST = Number(seed ?? (isSoak ? Date.now() % 1_000_000_000 : 20_261_118));
const ROUNDS = isSoak ? 200 : 4;

const seeds = Array.from({ length: ROUNDS }, (_, at) => FIRST + at);

/** `TURNLOG_SOAK=1 TURNLOG_SEED=<seed>` begins with that round. */
test.each(seeds)(
  "round %i: after changes, kills and bad delivery every machine has every session of the others, byte for byte",
  async (seed) => {
    expect(await runRound(seed)).toEqual([]);
  },
  60_000,
);
