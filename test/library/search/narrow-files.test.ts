import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { narrowFiles, OTHER_LETTERS } from "../../../src/library/search/narrow-files.js";
import { createMatcher, type SearchRequest } from "../../../src/library/search/search-request.js";
import { foldText } from "../../../src/library/text-index/tokenize.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { runs } from "../../runs.js";
import { anyPiece, anyText } from "../text-index/any-text.js";

const request = (text: string, mode: SearchRequest["mode"] = "words", matchesCase = false): SearchRequest => ({
  text,
  mode,
  matchesCase,
  filter: {},
});

const WRITERS: readonly ((text: string) => string)[] = [
  (text) => JSON.stringify({ text }),
  (text) =>
    JSON.stringify({ text }).replace(/[^\x00-\x7f]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`),
  (text) => JSON.stringify({ text }).replaceAll("/", "\\/"),
];

/** Files with one line each, as several programs write JSON. */
function writeFiles(texts: readonly string[], writers = WRITERS): string[] {
  const folder = temporaryFolder();
  return texts.map((text, at) => {
    const path = join(folder, `${at}.jsonl`);
    writeFileSync(path, `${(writers[at % writers.length] ?? String)(text)}\n`);
    return path;
  });
}

test.each([
  ["words", "zurich", "in Zürich", "in Bern"],
  ["words", "ete", "e\u0301te\u0301", "winter"],
  ["words", "figure", "the ﬁgure", "the folder"],
  ["words", "userName", "getUserName", "getMane"],
  ["words", "userName", "user name", "user mane"],
  ["words", "abc -x", "ＡＢＣ", "ab c"],
  ["words", "conf*", "Configure", "con"],
  ["words", "京", "東京タワー", "東方"],
  ["words", '"connection refused"', "connection\nrefused", "connexion refused"],
  ["literal", 'say "hello world"', 'They say "hello world" now', "goodbye"],
  ["literal", "C:\\Users\\me", "in C:\\Users\\me", "C:/users"],
  ["regex", "TODO\\(\\w+\\)", "a TODO(me) here", "a FIXME(me)"],
  ["regex", "colou?r of", "the color of it", "the tone of it"],
] as const)("%s %s: a file with %j, not one with %j", async (mode, query, inside, outside) => {
  const [wanted = "", other = ""] = writeFiles([inside, outside], [JSON.stringify]);
  expect((await createMatcher(request(query, mode))).matches(inside)).toBe(true);
  expect([...((await narrowFiles(request(query, mode), [wanted, other])) ?? [])]).toEqual([wanted]);
});

test.each([
  ["words", "a"],
  ["words", "-only"],
  ["words", ""],
  ["words", "שלום"],
  ["literal", "=>"],
  ["regex", "a|b"],
  ["regex", "(ab)+"],
  ["regex", "x*y*"],
] as const)("%s %s rules nothing out", async (mode, query) => {
  const paths = writeFiles(["anything"]);
  const found = await narrowFiles(request(query, mode), paths);
  expect(found === undefined || found.size < 2).toBe(true);
});

const anyMode = fc.constantFrom("words" as const, "words" as const, "literal" as const);

test("no file with a match is ruled out", async () => {
  const anyCase = fc.array(anyText, { minLength: 1, maxLength: 12 }).chain((texts) => {
    const words = texts.flatMap((text) => text.split(/\s+/)).filter((word) => word !== "");
    const anyWord = fc.oneof(fc.constantFrom("a", ...words), anyPiece);
    return fc.tuple(fc.constant(texts), fc.array(anyWord, { minLength: 1, maxLength: 2 }), anyMode, fc.boolean());
  });
  await fc.assert(
    fc.asyncProperty(anyCase, async ([texts, words, mode, matchesCase]) => {
      const asked = request(words.join(" "), mode, matchesCase);
      const paths = writeFiles(texts);
      const found = await narrowFiles(asked, paths);
      const matcher = await createMatcher(asked);
      const matching = paths.filter((_, at) => matcher.matches(texts[at] ?? ""));
      expect(matching.filter((path) => found && !found.has(path))).toEqual([]);
    }),
    runs(60),
  );
});

test("every character that folds to other letters is known", () => {
  const isOther = new RegExp(OTHER_LETTERS.replaceAll("\\x{", "\\u{"), "u");
  const codes = Array.from({ length: 0x30000 }, (_, code) => code).filter((code) => code < 0xd800 || code > 0xdfff);
  const missed = codes.filter((code) => {
    const character = String.fromCodePoint(code);
    const folded = foldText(character).trim();
    const isPlain = folded === character || folded === "" || folded === character.toLowerCase();
    const isAccented = code >= 0xc0 && code < 0x530 && folded.length === 1;
    const isKnown = /[0-9a-z\u00DF-\u052F\u3041-\u30FF\u3400-\u9FFF\uAC00-\uD7A3]/.test(folded);
    return code > 0x7f && !isPlain && !isAccented && isKnown && !isOther.test(character);
  });
  expect(missed.map((code) => `${code.toString(16)} ${foldText(String.fromCodePoint(code))}`)).toEqual([]);
});

test.each([
  ["regex", "\\x78ylophone", "a xylophone"],
  ["regex", "\\u0078ylophone", "a xylophone"],
  ["literal", "review srcfolder", "/review srcfolder"],
  ["words", "snowman", "sno\u{E0100}wman"],
  ["words", "mongoose", "mon\u180Bgoose"],
] as const)("%s %s may be in %j", async (mode, query, inside) => {
  expect((await createMatcher(request(query, mode))).matches(inside)).toBe(true);
  const paths = writeFiles([inside.replace(" ", "</command-name><command-args>")], [JSON.stringify]);
  const found = await narrowFiles(request(query, mode), paths);
  expect([...(found ?? paths)]).toEqual(paths);
});

test("words that turnlog adds to what is recorded rule nothing out", async () => {
  expect(await narrowFiles(request("message"), writeFiles(["anything"]))).toBeUndefined();
});

test("a query too long for a command line rules nothing out", async () => {
  const long = Array.from({ length: 2000 }, (_, at) => `word${at}`).join(" OR ");
  expect(await narrowFiles(request(long), writeFiles(["anything"]))).toBeUndefined();
});
