#!/usr/bin/env node
import { CCUSAGE_ARGS, rareWord } from "./first-use.mjs";
import { installCcusage } from "./install-peers.mjs";
import { isMain } from "./is-main.mjs";
import { BIN, commandEnv, indexedData, isQuick, largeLibrary, manySessions, nodePrograms } from "./libraries.mjs";
import { measureAll } from "./measure.mjs";
import { ratioRow, toMarkdown } from "./target-table.mjs";

const SHORT_ROUNDS = isQuick ? 2 : 9;
const LONG_ROUNDS = isQuick ? 1 : 4;

/** Whole commands, from start to end, with an index that is up to date. @returns {Promise<import("./target-table.mjs").TargetRow[]>} */
export async function benchCommands() {
  const rows = [];
  const word = rareWord(largeLibrary().root);
  for (const node of nodePrograms()) rows.push(...(await benchNode(node, word)));
  return rows;
}

/** @param {import("./libraries.mjs").NodeProgram} node @param {string} word */
async function benchNode(node, word) {
  const [large, many] = [largeLibrary(), manySessions()];
  const ofLarge = commandEnv(large.root, indexedData(large, node.name, node.path));
  const ofMany = commandEnv(many.root, indexedData(many, `many, ${node.name}`, node.path));
  /** @param {Record<string, string>} env @param {readonly string[]} args */
  const run = (env, ...args) => ({ name: args.join(" "), command: node.path, args, env });
  const [start, version, help, search, some, list] = await measureAll(
    [
      run(ofLarge, "-e", "0"),
      run(ofLarge, BIN, "--version"),
      run(ofLarge, BIN, "show", "--help"),
      run(ofLarge, BIN, "search", word),
      run(ofMany, BIN, "list", "--limit", "50"),
      run(ofMany, BIN, "list"),
    ],
    SHORT_ROUNDS,
  );
  const ccusageRun = { name: "ccusage", command: installCcusage(), args: CCUSAGE_ARGS, env: ofLarge };
  const [ccusage, stats] = await measureAll([ccusageRun, run(ofLarge, BIN, "stats", "--json")], LONG_ROUNDS);
  if (search.stdout === "") throw new Error(`\`turnlog search ${word}\` found nothing`);
  const of = `of ${many.sessions} sessions (${node.name})`;
  const where = `(${node.name}, ${large.size})`;
  return [
    ratioRow(`\`--version\` (${node.name}) against \`node -e 0\``, 1.2, version, start),
    ratioRow(`\`show --help\` (${node.name}) against \`node -e 0\``, 1.2, help, start),
    ratioRow(`warm \`list --limit 50\` ${of} against \`node -e 0\``, 1.6, some, start),
    ratioRow(`warm \`list\`, all rows, ${of} against \`node -e 0\``, 3, list, start),
    ratioRow(`warm \`search\` of one word ${where} against \`node -e 0\``, 2, search, start),
    ratioRow(`warm \`stats --json\` ${where} against ccusage`, 0.13, stats, ccusage),
  ];
}

if (isMain(import.meta.url)) console.log(toMarkdown(await benchCommands()));
