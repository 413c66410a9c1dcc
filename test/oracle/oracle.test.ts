import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CORPUS, corpusSessions } from "./corpus-sessions.js";
import { expectedFacts } from "./expected-facts.js";
import { readings } from "./readings.js";

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
