#!/usr/bin/env node
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { generateLibrary } from "./generate-library.mjs";
import { installCcusage } from "./install-peers.mjs";
import { isMain } from "./is-main.mjs";
import { measure } from "./measure.mjs";
import { ratioRow, toMarkdown } from "./target-table.mjs";

const ROUNDS = 3;
const TURNLOG_TOTALS = fileURLToPath(new URL("./turnlog-totals.mjs", import.meta.url));
const PARSE_TOTALS = fileURLToPath(new URL("./parse-totals.mjs", import.meta.url));
const COUNT_LINES = 'find "$1" -name "*.jsonl" -print0 | xargs -0 wc -l';

/** Full token statistics of 1 GB without an index, against `wc -l`, JSON.parse of every line, and the native ccusage. */
export async function benchScanTotals() {
  const library = generateLibrary();
  const home = mkdtempSync(join(tmpdir(), "turnlog-bench-"));
  const node = process.execPath;
  const measured = await measure(
    [
      { name: "wc -l", command: "sh", args: ["-c", COUNT_LINES, "sh", library] },
      { name: "turnlog", command: node, args: [TURNLOG_TOTALS, library] },
      { name: "JSON.parse", command: node, args: [PARSE_TOTALS, library] },
      {
        name: "ccusage",
        command: installCcusage(),
        args: ["claude", "daily", "--offline", "--json"],
        env: { HOME: home, CLAUDE_CONFIG_DIR: library },
      },
    ],
    ROUNDS,
  );
  rmSync(home, { recursive: true });
  const [lines, turnlog, parsed, ccusage] = /** @type {[Measured, Measured, Measured, Measured]} */ (measured);
  return {
    measured,
    totals: compareTotals(turnlog, parsed, ccusage),
    rows: [
      ratioRow("token statistics of 1 GB, no index, against `wc -l`", 6, turnlog, lines),
      ratioRow("the same against the native ccusage 20.0.24", 1, turnlog, ccusage),
      ratioRow("the same against JSON.parse of every line", 0.5, turnlog, parsed),
    ],
  };
}

/** @typedef {import("./measure.mjs").Measured} Measured */

/** @param {Measured} turnlog @param {Measured} parsed @param {Measured} ccusage */
function compareTotals(turnlog, parsed, ccusage) {
  const ours = toTotals(JSON.parse(turnlog.stdout).usage);
  const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens } = JSON.parse(ccusage.stdout).totals;
  const theirs = {
    input: inputTokens,
    output: outputTokens,
    cacheRead: cacheReadTokens,
    cacheWrite: cacheCreationTokens,
  };
  return {
    turnlog: ours,
    "JSON.parse": toTotals(JSON.parse(parsed.stdout).usage),
    ccusage: theirs,
    "ccusage - turnlog": difference(theirs, ours),
  };
}

/** @param {Record<string, number>} usage */
function toTotals({ input = 0, output = 0, cacheRead = 0, cacheWrite5m = 0, cacheWrite1h = 0 }) {
  return { input, output, cacheRead, cacheWrite: cacheWrite5m + cacheWrite1h };
}

/** @param {Record<string, number>} theirs @param {Record<string, number>} ours */
function difference(theirs, ours) {
  const percent = (/** @type {string} */ name) =>
    `${((100 * (theirs[name] ?? 0)) / (ours[name] ?? 0) - 100).toFixed(2)} %`;
  return Object.fromEntries(Object.keys(ours).map((name) => [name, percent(name)]));
}

if (isMain(import.meta.url)) {
  const { measured, totals, rows } = await benchScanTotals();
  const figures = measured.map(({ stdout: _, ...numbers }) => numbers);
  console.table(figures);
  console.table(totals);
  console.log(toMarkdown(rows));
  console.log(JSON.stringify({ figures, totals, rows }));
}
