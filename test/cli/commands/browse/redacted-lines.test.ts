import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rewriteStrings } from "../../../../src/format/writer/rewrite-strings.js";
import { temporaryFolder } from "../../../format/temporary-folder.js";
import { CORPUS, corpusSessions } from "../../../oracle/corpus-sessions.js";
import { runs } from "../../../runs.js";
import { runCli } from "../../run-cli.js";

const KEY = "AKIAQ3EGRJ7XK2ZB5M4T";
const MARK = "[REDACTED:aws-key:1]";

async function exportRedacted(bytes: string | Buffer): Promise<{ readonly text: string; readonly report: string }> {
  const folder = temporaryFolder();
  const [source, target] = [join(folder, "a.jsonl"), join(folder, "b.jsonl")];
  writeFileSync(source, bytes);
  const { stderr } = await runCli(["export", source, "--format", "jsonl", "-o", target]);
  return { text: readFileSync(target, "latin1"), report: stderr };
}

describe("a redacted line", () => {
  test.each([
    ["the value of a secret key", `{"${KEY}":1,"b":2}\n`],
    ["the order of keys, and numbers as keys", `{"b":"${KEY}","2":0,"a":0,"1":0}\n`],
    ["large numbers and how numbers are spelled", `{"id":12345678901234567890,"n":1.50e+3,"k":"${KEY}"}\n`],
    ["spaces and escapes", `{ "a" : "\\u0041\\/" ,\t"k":"${KEY}" }\n`],
    ["the return before a newline", `{"k":"${KEY}"}\r\n`],
    ["a byte order mark", `\u00ef\u00bb\u00bf{"k":"${KEY}"}\n`],
    ["NUL bytes and blanks around it", `\0\0 {"k":"${KEY}"}\0 \n`],
    ["a missing newline", `{"k":"${KEY}"}`],
    ["what is inside lists", `{"k":[["x"],{"a":[1,"${KEY}"]},null,"y"]}\n`],
    ["bytes that are not UTF-8", `{"a":"\u00ff\u00fe","k":"${KEY}"}\n`],
    ["records that are glued together", `{"type":"user","k":"${KEY}"}{"type":"user","n":1.0}\n`],
    ["a fragment beside a record", `{"type":"us{"type":"user","k":"${KEY}"}\n`],
    ["a broken line", `{"k":"${KEY}\r\n{"a":1}\n`],
  ])("keeps %s", async (_what, line) => {
    const { text } = await exportRedacted(Buffer.from(line, "latin1"));
    expect(text).toBe(line.replace(KEY, MARK));
  });

  test("does not show a secret key in the report", async () => {
    const { report } = await exportRedacted(`{"type":"user","${KEY}":1}\n`);
    expect(report).toBe("redacted: 1 aws-key (1 different secret)\n  user: 1 aws-key\n");
  });

  test("has no secret in a field that a later one of the same name hides", async () => {
    const { text } = await exportRedacted(`{"type":"user","a":{"k":"${KEY}","k":"x"}}\n`);
    expect(text).toBe('{"type":"user","a":{"k":"x"}}\n');
  });

  test("loses nothing when two keys become one", async () => {
    const { text } = await exportRedacted(`{"a":{"${KEY}":1,"${MARK}":2}}\n`);
    expect(Object.values(JSON.parse(text).a)).toEqual([1, 2]);
  });
});

test.each(corpusSessions())("a value that nothing is found in stays as it is: %s", (name) => {
  const lines = readFileSync(join(CORPUS, name), "utf8").split("\n");
  expect(lines.map(rewriteWithItself)).toEqual(lines);
});

function rewriteWithItself(line: string): string | undefined {
  const parsed = parseObject(line);
  return parsed ? rewriteStrings(Buffer.from(line), parsed, parsed)?.toString() : line;
}

function parseObject(line: string): object | undefined {
  try {
    const parsed: unknown = JSON.parse(line);
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

test("whatever strings change, the bytes say what the new value says", () => {
  const shout = (text: string) => (text.includes("a") ? `${text.replaceAll("a", "[A]")}!` : text);
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(0, 1, "\t"), (raw, space) => {
      const before = JSON.parse(JSON.stringify(raw));
      const after = JSON.parse(JSON.stringify(before), (_key, value) =>
        typeof value === "string" ? shout(value) : value,
      );
      const bytes = rewriteStrings(Buffer.from(JSON.stringify(before, null, space)), before, after);
      expect(JSON.parse(bytes?.toString() ?? "")).toEqual(after);
    }),
    runs(300),
  );
});
