import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRedactor } from "../../src/redact/create-redactor.js";
import { runs } from "../runs.js";
import { ARMOURS, privateKey } from "./finders/private-keys.js";
import { lookAlikes } from "./look-alikes.js";
import { namedSecrets } from "./named-secrets.js";
import { issuedSecrets } from "./planted-secrets.js";

const createFull = () => createRedactor({ level: "redact", home: "/home/dana", emails: true });

const keys = ARMOURS.map((armour) => privateKey(armour, 11).block);
const secretTexts = [
  ...issuedSecrets(11).map(({ secret }) => secret),
  ...namedSecrets(11).map(({ text }) => text),
  ...keys.flatMap((block) => [block, block.slice(0, 150), block.slice(-150), JSON.stringify(block)]),
];
const glue = [
  "",
  " ",
  "\n",
  '"',
  "'",
  "=",
  ": ",
  "/",
  "@",
  "\\n",
  '\\"',
  "[REDACTED:aws-key:1]",
  "/home/dana",
  "dana@x.org",
];

/** Secrets, look-alikes, placeholders and anything else, in any order. */
const mixedText = fc
  .array(fc.oneof(fc.constantFrom(...secretTexts, ...lookAlikes(11)), fc.constantFrom(...glue), fc.string()), {
    maxLength: 8,
  })
  .map((parts) => parts.join(""));

/** JSON values whose strings and keys may hold secrets. */
const mixedJson = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    mixedText,
    fc.constantFrom(1, -0.5, true, false, null),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.string(), fc.constantFrom("password", "id", "token", "/home/dana/a")), tie("value"), {
      maxKeys: 4,
    }),
  ),
})).value;

/** Letters without any that an anchor, a user or an address could be made of. */
const harmlessText = fc.string({ unit: fc.constantFrom(..."efgilmqvwxyz \n.,;!?()") });

describe("for every text and value", () => {
  test("redacting twice changes nothing, even by another redactor", () => {
    fc.assert(
      fc.property(mixedText, (text) => {
        const redacted = createFull().text(text);
        expect(createFull().text(redacted)).toBe(redacted);
      }),
      runs(1500),
    );
  });

  test("redacting a value twice changes nothing", () => {
    fc.assert(
      fc.property(mixedJson, (value) => {
        const redacted = createFull().json(value);
        expect(createFull().json(redacted)).toEqual(redacted);
      }),
      runs(500),
    );
  });

  test("a redacted value keeps its shape", () => {
    fc.assert(
      fc.property(mixedJson, (value) => {
        expect(shapeOf(createFull().json(value))).toEqual(shapeOf(value));
      }),
      runs(500),
    );
  });

  test("a value is written as its redacted copy would be, and reported alike", () => {
    fc.assert(
      fc.property(mixedJson, (value) => {
        const [copying, writing] = [createFull(), createFull()];
        expect(writing.stringify({ value })).toBe(JSON.stringify(copying.json({ value })));
        expect(writing.report()).toEqual(copying.report());
      }),
      runs(500),
    );
  });

  test("JSON as text is still JSON of the same shape", () => {
    fc.assert(
      fc.property(mixedJson, (value) => {
        const line = JSON.stringify({ message: JSON.stringify(value), value });
        expect(shapeOf(JSON.parse(createFull().text(line)))).toEqual(shapeOf(JSON.parse(line)));
      }),
      runs(500),
    );
  });

  test("a text without anchors stays", () => {
    fc.assert(
      fc.property(harmlessText, (text) => {
        expect(createFull().text(text)).toBe(text);
      }),
      runs(100),
    );
  });

  test("no secret that the redactor replaced is left in its output", () => {
    fc.assert(
      fc.property(fc.constantFrom(...issuedSecrets(12)), mixedText, ({ secret }, text) => {
        expect(createFull().text(`${text} ${secret} ${text}`)).not.toContain(secret);
      }),
      runs(500),
    );
  });
});

/** Types, lengths of arrays and number of keys; not the texts. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value === "object" && value !== null) return Object.values(value).map(shapeOf);
  return typeof value === "string" ? "text" : value;
}
