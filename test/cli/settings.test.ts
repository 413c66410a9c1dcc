import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../format/temporary-folder.js";
import { runCli } from "./run-cli.js";

const DEMO = resolve(import.meta.dirname, "..", "..", "demo");
const ID = "5b0c7d1e-9a34-4f6b-8c2d-1e0f3a4b5c6d";

function settingsOf(config: object, files: Readonly<Record<string, string>> = {}): { TURNLOG_DATA_DIR: string } {
  return { TURNLOG_DATA_DIR: temporaryFolder({ ...files, "config.json": JSON.stringify(config) }) };
}

function libraryOfOne(): string {
  const line = { type: "user", uuid: "u1", timestamp: "2026-05-01T10:00:00Z", message: { content: "hello" } };
  return temporaryFolder({ [`projects/-home-dev-shop/${ID}.jsonl`]: `${JSON.stringify(line)}\n` });
}

async function countListed(env: Record<string, string>, ...options: string[]): Promise<number> {
  const { stdout } = await runCli(["list", "--json", ...options], env);
  return JSON.parse(stdout).length;
}

describe("config.json says where sessions are:", () => {
  const noVariable = { CLAUDE_CONFIG_DIR: "" };

  test("configDirs, where nothing else does", async () => {
    const settings = settingsOf({ configDirs: [DEMO] });
    expect(await countListed({ ...noVariable, ...settings })).toBe(7);
    expect(await countListed({ CLAUDE_CONFIG_DIR: libraryOfOne(), ...settings })).toBe(1);
    expect(await countListed({ ...noVariable, ...settings }, "--config-dir", libraryOfOne())).toBe(1);
  });

  test("sources, beside the client's folders, unless --config-dir names one", async () => {
    const settings = settingsOf({ sources: [{ name: "demo", path: DEMO }] });
    expect(await countListed({ CLAUDE_CONFIG_DIR: libraryOfOne(), ...settings })).toBe(8);
    expect(await countListed(settings, "--config-dir", libraryOfOne())).toBe(1);
  });

  test("a session is named in a source too", async () => {
    const settings = settingsOf({ sources: [{ name: "one", path: libraryOfOne() }] });
    expect((await runCli(["show", ID.slice(0, 4)], settings)).stdout).toContain("hello");
  });
});

describe("config.json says what tokens cost:", () => {
  const price = { input: 1e6, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
  const models = ["claude-opus-4-5"];
  const message = { id: "m1", model: models[0], content: [], usage: { input_tokens: 3, output_tokens: 5 } };
  const answer = { type: "assistant", uuid: "a1", timestamp: "2026-05-01T10:00:00Z", message };
  const sessionFile = () => join(temporaryFolder({ "a.jsonl": `${JSON.stringify(answer)}\n` }), "a.jsonl");
  const withPrices = (prices: string) => settingsOf({ pricesFile: "prices.json" }, { "prices.json": prices });

  test.each([
    ["show", "--json"],
    ["export", "--format", "json"],
  ])("%s uses the price file", async (...command) => {
    const env = withPrices(JSON.stringify({ asOf: "2026-05-01", prices: [{ ...price, models }] }));
    const { stdout } = await runCli([...command, sessionFile()], env);
    expect(JSON.parse(stdout).totals.costUsd).toBe(3);
  });

  test.each([
    { prices: "{ prices", says: "the price file is invalid: the whole file" },
    { prices: '{ "asOf": "2026-05-01", "prices": [{}] }', says: "the price file is invalid: prices.0.models" },
    {
      prices: JSON.stringify({ asOf: "", prices: [{ ...price, models, input: -1 }] }),
      says: "the price file is invalid: prices.0.input",
    },
  ])("a bad price file is a clear error: $says", async ({ prices, says }) => {
    const { stderr, exitCode } = await runCli(["show", sessionFile()], withPrices(prices));
    expect(stderr).toContain(`turnlog: ${says}`);
    expect(stderr).toMatch(/^[^\n]+\n {2}fix [^\n]+prices\.json[^\n]*\n$/);
    expect(exitCode).toBe(1);
  });

  test("a missing price file is a clear error", async () => {
    const { stderr, exitCode } = await runCli(["list"], settingsOf({ pricesFile: "gone.json" }));
    expect(stderr).toMatch(
      /^turnlog: cannot read the price file [^\n]+gone\.json\n {2}check pricesFile in config\.json\n$/,
    );
    expect(exitCode).toBe(1);
  });
});

test("config.json says after how many minutes a turn counts as resumed", async () => {
  const at = (uuid: string, parentUuid: string | null, minute: string) =>
    JSON.stringify({
      type: "user",
      uuid,
      parentUuid,
      timestamp: `2026-05-01T10:${minute}:00Z`,
      message: { content: uuid },
    });
  const folder = temporaryFolder({ "a.jsonl": `${at("one", null, "00")}\n${at("two", "one", "20")}\n` });
  const roundsWith = async (config: object) => {
    const { stdout } = await runCli(["show", join(folder, "a.jsonl"), "--json"], settingsOf(config));
    return JSON.parse(stdout).turns.map(({ round }: { round: string }) => round);
  };
  expect(await roundsWith({})).toEqual(["new_session", "resume"]);
  expect(await roundsWith({ roundGapMinutes: 30 })).toEqual(["new_session", "new_round"]);
});
