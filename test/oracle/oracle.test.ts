import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CORPUS, corpusSessions } from "./corpus-sessions.js";
import { type ExpectedFacts, expectedFacts } from "./expected-facts.js";

const READ_BY_EYE = join(import.meta.dirname, "read-by-eye");

/** What a person found by reading the raw lines, and `because` of which lines. */
interface Reading {
  readonly file: string;
  readonly because: readonly string[];
  readonly facts: ExpectedFacts;
}

const readings = readdirSync(READ_BY_EYE).map((name) => ({
  quirk: name.replace(/\.json$/, ""),
  ...(JSON.parse(readFileSync(join(READ_BY_EYE, name), "utf8")) as Reading),
}));

describe("the oracle", () => {
  test.each(readings)("reads $quirk as a person does", ({ file, facts }) => {
    expect(expectedFacts(join(CORPUS, file))).toEqual(facts);
  });

  test.each(corpusSessions())("places every call of %s in one turn or the preamble", (file) => {
    const { turns, totals } = expectedFacts(join(CORPUS, file));
    const ids = turns.flatMap(({ toolCalls }) => toolCalls.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBe(turns.length === 0 ? 0 : totals.toolCalls);
  });
});
