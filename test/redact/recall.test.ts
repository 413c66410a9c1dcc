import { describe, expect, test } from "vitest";
import { createRedactor } from "../../src/redact/create-redactor.js";
import { namedSecrets } from "./named-secrets.js";
import { RECORD_PLACES, TEXT_PLACES } from "./places.js";
import { issuedSecrets } from "./planted-secrets.js";

const SEEDS = [1, 2, 3];
const issued = SEEDS.flatMap(issuedSecrets);
const named = SEEDS.flatMap(namedSecrets);

function redactText(text: string): string {
  return createRedactor({ level: "mask" }).text(text);
}

function redactRecord(record: unknown): string {
  return JSON.stringify(createRedactor({ level: "mask" }).json(record));
}

describe("every planted secret is found", () => {
  test("there are more than two hundred of them, of more than fifty kinds", () => {
    expect(issued.length * Object.keys(TEXT_PLACES).length).toBeGreaterThan(200);
    expect(new Set(issued.map(({ kind }) => kind)).size).toBeGreaterThan(50);
  });

  test.each(Object.entries(TEXT_PLACES))("in %s", (_, put) => {
    const missed = issued.filter(({ secret }) => redactText(put(secret)).includes(secret));
    expect(missed).toEqual([]);
  });

  test.each(Object.entries(RECORD_PLACES))("in %s of a record", (_, put) => {
    const missed = issued.filter(({ secret }) => redactRecord(put(secret)).includes(secret));
    expect(missed).toEqual([]);
  });

  test("when only a name or a notation gives it away", () => {
    const missed = named.filter(({ text, secret }) => redactText(text).includes(secret));
    expect(missed).toEqual([]);
  });

  test("when its name is the key of a JSON object", () => {
    const missed = named.filter(({ secret }) => redactRecord({ input: { password: secret } }).includes(secret));
    expect(missed).toEqual([]);
  });

  test.each(SEEDS)("and named by the kind that its issuer gives it (seed %i)", (seed) => {
    const wrong = issuedSecrets(seed).filter(({ kind, secret }) => redactText(secret) !== `[REDACTED:${kind}:1]`);
    expect(wrong).toEqual([]);
  });
});
