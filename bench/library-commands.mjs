import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { installCcusage, installRipgrep } from "./install-peers.mjs";
import { measure } from "./measure.mjs";
import { ratioRow } from "./target-table.mjs";
import { vocabularyOf } from "./vocabulary.mjs";

const BIN = resolve(import.meta.dirname, "../dist/bin.js");
const SHORT_ROUNDS = 9;
const LONG_ROUNDS = 4;

/** Whole commands, from start to end, with a warm index. @param {string} library @param {string} data */
export async function benchCommands(library, data) {
  const env = { CLAUDE_CONFIG_DIR: library, TURNLOG_DATA_DIR: data, HOME: data };
  const { words } = vocabularyOf(library);
  const word = words[words.length >> 1] ?? "";
  const turnlog = (/** @type {string[]} */ ...args) =>
    toCompetitor(`turnlog ${args.join(" ")}`, process.execPath, [BIN, ...args]);
  /** @param {string} name @param {string} command @param {string[]} args */
  const toCompetitor = (name, command, args) => ({ name, command, args, env });
  const [node, version, help, list] = await measureAll(
    [
      toCompetitor("node -e 0", process.execPath, ["-e", "0"]),
      turnlog("--version"),
      turnlog("show", "--help"),
      turnlog("list"),
    ],
    SHORT_ROUNDS,
  );
  const [rg, search] = await measureAll(
    [toCompetitor("rg", installRipgrep(), ["-ci", word, library]), turnlog("search", word)],
    LONG_ROUNDS,
  );
  const rows = [
    ratioRow("`turnlog --version` against `node -e 0`", 1.3, version, node),
    ratioRow("`turnlog show --help` against `node -e 0`", 1.3, help, node),
    ratioRow("`turnlog list` of 10,000 sessions, warm, against `node -e 0`", 2, list, node),
    ratioRow("`turnlog search` of one word, warm, against `rg` over the same files", 0.5, search, rg),
  ];
  if (!hasStats(env)) return rows;
  const ccusageArgs = ["claude", "daily", "--offline", "--json"];
  const [ccusage, stats] = await measureAll(
    [toCompetitor("ccusage", installCcusage(), ccusageArgs), turnlog("stats", "--json")],
    LONG_ROUNDS,
  );
  return [...rows, ratioRow("`turnlog stats --json`, warm, against the native ccusage", 0.1, stats, ccusage)];
}

/** @param {readonly import("./measure.mjs").Competitor[]} competitors @param {number} rounds */
async function measureAll(competitors, rounds) {
  const measured = await measure(competitors, rounds);
  for (const { name, exitCode } of measured)
    if (exitCode !== 0) throw new Error(`${name} failed with exit code ${exitCode}`);
  return /** @type {import("./measure.mjs").Measured[] & { [n: number]: import("./measure.mjs").Measured }} */ (
    measured
  );
}

/** @param {Record<string, string>} env */
function hasStats(env) {
  return spawnSync(process.execPath, [BIN, "stats", "--help"], { env: { ...process.env, ...env } }).status === 0;
}
