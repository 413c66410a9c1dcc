import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CompressOptions } from "../../../src/edit/compress/choose-turns.js";
import { planCompress } from "../../../src/edit/compress/plan-compress.js";
import type { EditSource } from "../../../src/edit/plans/edit-source.js";
import { anySession } from "../../builders/any-session.js";
import { corpusBytes } from "../../builders/corpus-bytes.js";
import { corpusSessions } from "../../oracle/corpus-sessions.js";
import { runs } from "../../runs.js";
import { apiProblems } from "../../session/replay/api-rules.js";
import { edit, NEW_ID, readEdited } from "../edited-session.js";

const sound = anySession(40)
  .map((lines) => lines.map((line) => `${line}\n`).join(""))
  .filter((text) => !readEdited(Buffer.from(text)).errors.some((code) => /parent|orphan/.test(code)));
const anyBand = fc
  .tuple(fc.nat(99), fc.integer({ min: 1, max: 100 }), fc.constantFrom("light" as const, "heavy" as const))
  .map(([from, size, level]) => ({ from, to: Math.min(100, from + size), level }));
const anyOptions: fc.Arbitrary<CompressOptions> = fc.record({
  bands: fc.array(anyBand, { minLength: 1, maxLength: 3 }),
  keepCalls: fc.boolean(),
  perTurn: fc.boolean(),
});
const plan = (options: CompressOptions) => (source: EditSource) => planCompress(source, options, { id: NEW_ID });

function tryCompress(text: string | Buffer, options: CompressOptions): ReturnType<typeof edit> | undefined {
  try {
    return edit(text, plan(options));
  } catch (error) {
    expect(String(error)).toMatch(/no turn is in the parts|nothing to shorten/);
    return undefined;
  }
}

describe("any session, compressed in any way", () => {
  test("has no new errors and makes a valid request with what people said last", () => {
    fc.assert(
      fc.property(sound, anyOptions, (text, options) => {
        const source = readEdited(Buffer.from(text));
        const compressed = tryCompress(text, options);
        fc.pre(compressed !== undefined);
        expect(compressed?.errors.filter((code) => !source.errors.includes(code))).toEqual([]);
        expect(apiProblems(compressed?.replay.messages ?? [])).toEqual([]);
        expect(compressed?.session.turns.at(-1)?.prompt).toBe(source.session.turns.at(-1)?.prompt);
      }),
      runs(50),
    );
  });
});

describe.each([{}, { perTurn: true }])("with %j", (options) => {
  test.each(corpusSessions())("%s stays valid", (path) => {
    const bytes = corpusBytes(path);
    const source = readEdited(bytes);
    const compressed = tryCompress(bytes, options) ?? source;
    expect(compressed.errors.filter((code) => !source.errors.includes(code))).toEqual([]);
    expect(apiProblems(compressed.replay.messages)).toEqual([]);
  });
});
