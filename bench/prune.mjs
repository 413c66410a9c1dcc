#!/usr/bin/env node
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { planPrune, prunePreset, readEditSource } from "../dist/edit.js";
import { generateLongSession } from "./generate-library.mjs";
import { isMain } from "./is-main.mjs";
import { measure } from "./measure.mjs";
import { sessionFiles } from "./session-files.mjs";
import { memoryRow, ratioRow, toMarkdown } from "./target-table.mjs";

const LIMIT_MB = 300;
const LIMIT_RATIO = 4;
const BIN = resolve(import.meta.dirname, "../dist/bin.js");
const CORPUS = resolve(import.meta.dirname, "../test/corpus");
const PRESETS = /** @type {const} */ (["light", "normal", "heavy", "extreme"]);

/** Time and memory of pruning, against reading, parsing and writing the same file. */
export async function benchPrune() {
  const session = generateLongSession();
  const folder = mkdtempSync(join(tmpdir(), "turnlog-bench-prune-"));
  const env = { TURNLOG_DATA_DIR: folder };
  const plain = resolve(import.meta.dirname, "read-parse-write.mjs");
  const measured = await measure(
    [
      { name: "plain", command: process.execPath, args: [plain, session, join(folder, "plain.jsonl")] },
      ...PRESETS.map((preset) => ({
        name: preset,
        command: process.execPath,
        args: [BIN, "prune", session, "--preset", preset, "-o", join(folder, `${preset}.jsonl`)],
        env,
      })),
    ],
    1,
  );
  rmSync(folder, { recursive: true });
  const [base, ...ours] = measured;
  if (!base) throw new Error("nothing was measured");
  return ours.flatMap((it) => [
    ratioRow(
      `\`turnlog prune --preset ${it.name}\` of a 200 MB session against read, parse, write`,
      LIMIT_RATIO,
      it,
      base,
    ),
    memoryRow(`\`turnlog prune --preset ${it.name}\` of a 200 MB session`, LIMIT_MB, it),
  ]);
}

/** How many tokens each preset leaves, and what saves them. @param {readonly string[]} files */
export function presetTokens(files) {
  const rows = PRESETS.map((preset) => {
    let before = 0;
    let after = 0;
    /** @type {Map<string, number>} */
    const saved = new Map();
    for (const file of files) {
      const plan = planPrune(readEditSource(file), prunePreset(preset), {
        id: "00000000-0000-4000-8000-000000000000",
      });
      before += plan.tokensBefore;
      after += plan.tokensAfter;
      for (const [why, tokens] of plan.savedTokens) saved.set(why, (saved.get(why) ?? 0) + tokens);
    }
    const by = [...saved].filter(([, tokens]) => tokens > 0).map(([why, tokens]) => `${why} ${tokens}`);
    return `| ${preset} | ${before} | ${after} | ${Math.round((100 * after) / before)} % | ${by.join(", ")} |`;
  });
  return ["| preset | tokens before | after | left | saved by |", "|---|---|---|---|---|", ...rows].join("\n");
}

if (isMain(import.meta.url)) {
  console.log(
    `The recorded sessions of the tests\n${presetTokens(sessionFiles(CORPUS).filter((path) => !/agent-|history\.jsonl$/.test(path)))}\n`,
  );
  console.log(`A generated session of 200 MB\n${presetTokens([generateLongSession()])}\n`);
  console.log(toMarkdown(await benchPrune()));
}
