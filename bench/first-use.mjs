#!/usr/bin/env node
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { installCcusage, installRipgrep } from "./install-peers.mjs";
import { isMain } from "./is-main.mjs";
import { BIN, commandEnv, dataFolder, isQuick, largeLibrary, nodePrograms } from "./libraries.mjs";
import { measureAll } from "./measure.mjs";
import { sessionFiles } from "./session-files.mjs";
import { comparedRow, limitRow, ratioRow, toMarkdown } from "./target-table.mjs";
import { vocabularyOf } from "./vocabulary.mjs";

/** @typedef {import("./measure.mjs").Measured} Measured */

const SHORT_ROUNDS = isQuick ? 2 : 7;
const LONG_ROUNDS = isQuick ? 1 : 3;
const COMMON_WORD = "and";
const RARE_SHARE = 0.01;
const CANDIDATES = 200;
const COUNT_LINES = 'find "$1" -name "*.jsonl" -print0 | xargs -0 cat | wc -l';
export const CCUSAGE_ARGS = ["claude", "daily", "--offline", "--json"];

/** Whole commands with an empty data folder. @returns {Promise<import("./target-table.mjs").TargetRow[]>} */
export async function benchFirstUse() {
  const rows = [];
  const word = rareWord(largeLibrary().root);
  for (const node of nodePrograms()) rows.push(...(await benchNode(node, word)));
  return rows;
}

/** @param {import("./libraries.mjs").NodeProgram} node @param {string} word */
async function benchNode(node, word) {
  const { root, size, sessions } = largeLibrary();
  const data = dataFolder("first-use");
  const env = commandEnv(root, data);
  const before = () => makeEmpty(data);
  /** @param {string} command @param {readonly string[]} args */
  const peer = (command, ...args) => ({ name: command, command, args, env, before });
  const turnlog = (/** @type {string[]} */ ...args) => peer(node.path, BIN, ...args);
  const [start, newest] = await measureAll(
    [peer(node.path, "-e", "0"), turnlog("list", "--limit", "20")],
    SHORT_ROUNDS,
  );
  const [ccusage, lines, all, stats] = await measureAll(
    [
      peer(installCcusage(), ...CCUSAGE_ARGS),
      peer("sh", "-c", COUNT_LINES, "sh", root),
      turnlog("list"),
      turnlog("stats", "--json"),
    ],
    LONG_ROUNDS,
  );
  const [rg, rare] = await measureAll([peer(installRipgrep(), "-c", word, root), turnlog("search", word)], LONG_ROUNDS);
  // As a person meets it: what is not read in time is indexed in the background, until the next round.
  const started = { ...env, CI: "" };
  const stopped = () => {
    stopIndexing(node.path, started);
    makeEmpty(data);
  };
  const [common] = await measureAll(
    [{ ...turnlog("search", COMMON_WORD), env: started, before: stopped }],
    LONG_ROUNDS,
  );
  stopped();
  if (rare.stdout === "" || common.stdout === "") throw new Error("the search found nothing");
  const where = `(${node.name}, ${size} in ${sessions} sessions)`;
  return [
    ratioRow(`first \`list --limit 20\` ${where} against \`node -e 0\``, 3.5, newest, start),
    ratioRow(`first \`list\`, all rows ${where} against ccusage`, 1, all, ccusage),
    ratioRow(`first \`stats --json\` ${where} against ccusage`, 1, stats, ccusage),
    comparedRow(`first \`stats --json\` ${where} against \`wc -l\``, stats, lines),
    ratioRow(`first \`search\` of a word in less than 1 % of the sessions ${where} against \`rg -c\``, 4, rare, rg),
    limitRow(`first \`search\` of \`${COMMON_WORD}\` ${where}`, common.wallMs / 1000, 1.5, "s", cpuOf(common)),
  ];
}

/** Ends the process that a command started, and waits for its end. @param {string} node @param {Record<string, string>} env */
function stopIndexing(node, env) {
  const run = (/** @type {string[]} */ ...args) =>
    spawnSync(node, [BIN, "index", ...args], { env: { ...process.env, ...env }, encoding: "utf8" }).stdout;
  const { background } = JSON.parse(run("status", "--json"));
  if (background === null) return;
  run("stop");
  while (JSON.parse(run("status", "--json")).background !== null);
}

/** @param {string} folder */
function makeEmpty(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
}

/** A word of the vocabulary that few sessions have, between spaces and not only as part of another; a small library has none in less than 1 %. @param {string} library */
export function rareWord(library) {
  const most = sessionFiles(library).filter((path) => !path.includes("agent-")).length * RARE_SHARE;
  const words = vocabularyOf(library).words.filter(({ length }) => length >= 8);
  const step = Math.max(1, Math.floor(words.length / CANDIDATES));
  let rarest = { word: "", files: Number.POSITIVE_INFINITY };
  for (const word of words.filter((_, at) => at % step === 0)) {
    const files = filesWith(word, library);
    if (files < rarest.files && filesWith(` ${word} `, library) > 0) rarest = { word, files };
    if (rarest.files < most) break;
  }
  if (rarest.files >= most && !isQuick) throw new Error(`no word in less than 1 % of ${library}`);
  return rarest.word;
}

/** @param {string} text @param {string} library */
function filesWith(text, library) {
  const { stdout } = spawnSync(installRipgrep(), ["-ilF", text, library], { encoding: "utf8" });
  return stdout.split("\n").length - 1;
}

/** @param {Measured} measured */
function cpuOf({ cpuMs }) {
  return `${(cpuMs / 1000).toFixed(2)} CPU s`;
}

if (isMain(import.meta.url)) console.log(toMarkdown(await benchFirstUse()));
