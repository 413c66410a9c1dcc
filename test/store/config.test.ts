import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readConfig, updateConfig } from "../../src/store/config.js";
import { tempDir } from "./temp-dir.js";

function dirWithConfig(text: string): string {
  const dir = tempDir();
  writeFileSync(join(dir, "config.json"), text);
  return dir;
}

const savedIn = (dir: string) => readFileSync(join(dir, "config.json"), "utf8");

test("without a file every field has its default", async () => {
  expect(await readConfig(tempDir())).toEqual({});
});

test("every field is read", async () => {
  const config = {
    configDirs: ["/a"],
    sources: [{ name: "old laptop", path: "/mnt/claude" }],
    roundGapMinutes: 7.5,
    pricesFile: "prices.json",
    redact: { emails: true, patternsFile: "patterns.txt" },
  };
  expect(await readConfig(dirWithConfig(`\uFEFF${JSON.stringify(config)}`))).toEqual(config);
});

test.each([
  ['{ "roundGapMinutes": "five" }', /^config.json: roundGapMinutes: .*expected number/],
  ['{ "roundGapMinutes": -1 }', /^config.json: roundGapMinutes: /],
  ['{ "sources": [{ "name": "a" }] }', /^config.json: sources.0.path: /],
  ['{ "redact": { "emails": 1 } }', /^config.json: redact.emails: /],
  ["[]", /^config.json: the whole file: /],
  ['{ "configDirs": [\n"a",\n] }', /^config.json is not JSON: .+$/],
  ["", /^config.json is not JSON: .+$/],
])("the mistake in %s is told in one line", async (text, message) => {
  await expect(readConfig(dirWithConfig(text))).rejects.toMatchObject({
    name: "UserError",
    code: "config",
    message: expect.stringMatching(message),
    hint: expect.stringContaining("config.json"),
  });
});

test("a change keeps unknown keys at every depth, and the order of the keys", async () => {
  const dir = dirWithConfig('{ "future": [1], "redact": { "new": { "a": 1 }, "emails": false }, "pricesFile": "p" }');
  await updateConfig(dir, (config) => {
    config.redact = { ...config.redact, emails: true };
    delete config.pricesFile;
    config.roundGapMinutes = 3;
  });
  expect(JSON.stringify(JSON.parse(savedIn(dir)))).toBe(
    '{"future":[1],"redact":{"new":{"a":1},"emails":true},"roundGapMinutes":3}',
  );
});

test("a change to something wrong is refused and writes nothing", async () => {
  const dir = dirWithConfig("{}");
  const change = updateConfig(dir, (config) => {
    config.roundGapMinutes = Number.NaN;
  });
  await expect(change).rejects.toMatchObject({ code: "config", message: expect.stringContaining("roundGapMinutes") });
  expect(savedIn(dir)).toBe("{}");
});

test("changes at the same time are all kept", async () => {
  const dir = tempDir();
  const names = ["a", "b", "c", "d", "e"];
  const add = (name: string) =>
    updateConfig(dir, (config) => {
      config.configDirs = [...(config.configDirs ?? []), name];
    });
  await Promise.all(names.map(add));
  expect((await readConfig(dir)).configDirs?.sort()).toEqual(names);
});
