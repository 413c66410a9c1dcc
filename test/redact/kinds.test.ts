import { describe, expect, test } from "vitest";
import { createRedactor } from "../../src/redact/create-redactor.js";
import { markedKinds, NOTATION_KINDS } from "../../src/redact/kinds/all-kinds.js";
import { namedKinds } from "../../src/redact/kinds/named-kinds.js";
import { likeMarked, likeNamed } from "./kinds/kind-look-alikes.js";
import { MARKED_EXAMPLES } from "./kinds/marked-examples.js";
import { NAMED_EXAMPLES } from "./kinds/named-examples.js";
import { TEXT_PLACES } from "./places.js";
import { examplesOfKinds } from "./planted-secrets.js";

const redact = (text: string) => createRedactor({ level: "mask" }).text(text);
const SEEDS = [31, 32, 33];
const examples = SEEDS.flatMap(examplesOfKinds);
const alone = examples.filter(({ text, secret }) => text === secret);

describe("the kinds of secrets", () => {
  const listed = new Set([...markedKinds, ...namedKinds].map(({ kind }) => kind).concat(NOTATION_KINDS));

  test("are more than 225, each with examples, and no example has a kind that is not listed", () => {
    expect([...new Set(Object.keys({ ...MARKED_EXAMPLES, ...NAMED_EXAMPLES }))].toSorted()).toEqual(
      [...listed].toSorted(),
    );
    expect(listed.size).toBeGreaterThan(225);
  });

  test("have anchors of at least three characters", () => {
    const short = markedKinds.flatMap(({ prefixes }) => prefixes).filter((prefix) => prefix.length < 3);
    expect(short).toEqual([]);
  });

  test("are found in every example", () => {
    expect(examples.filter(({ text, secret }) => redact(text).includes(secret))).toEqual([]);
  });

  test("are named as they are listed", () => {
    const wrong = examples.filter(({ kind, text }) => !redact(text).includes(`[REDACTED:${kind}:1]`));
    expect(wrong).toEqual([]);
  });

  test.each(Object.entries(TEXT_PLACES))("with a mark are found in %s", (_, put) => {
    expect(alone.filter(({ secret }) => redact(put(secret)).includes(secret))).toEqual([]);
  });

  test("with a mark are not seen in what only looks like it", () => {
    expect(markedKinds.flatMap(likeMarked).filter((text) => redact(text) !== text)).toEqual([]);
  });

  test("with a name are not seen in what only looks like it", () => {
    const names = Object.entries(NAMED_EXAMPLES).flatMap(([kind, texts]) => {
      const named = namedKinds.find((other) => other.kind === kind);
      const name = /^([A-Z][A-Z0-9_]+)=/.exec(texts[0] ?? "")?.[1];
      return named && name ? [{ named, name }] : [];
    });
    expect(names.length).toBeGreaterThan(90);
    expect(names.flatMap(({ named, name }) => likeNamed(named, name)).filter((text) => redact(text) !== text)).toEqual(
      [],
    );
  });
});
