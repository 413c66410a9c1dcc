#!/usr/bin/env node
import { resolve } from "node:path";
import { generateLongLine, generateLongSession } from "./generate-library.mjs";
import { isMain } from "./is-main.mjs";
import { measure } from "./measure.mjs";
import { memoryRow, toMarkdown } from "./target-table.mjs";

const LIMIT_MB = 220;
const BIN = resolve(import.meta.dirname, "../dist/bin.js");
/** The first screen is the target of the design; the whole session shows what the garbage collector adds. */
const COMMANDS = [["show", "--turns", "1"], ["show"], ["show", "--json"], ["export", "--format", "jsonl"]];

/** Peak memory must follow the size of a turn, never that of the file. */
export async function benchMemory() {
  const files = { "200 MB session": generateLongSession(), "100 MB line": generateLongLine() };
  const competitors = Object.entries(files).flatMap(([file, path]) =>
    COMMANDS.map(([command = "", ...options]) => ({
      name: `\`turnlog ${[command, ...options].join(" ")}\` of a ${file}`,
      command: process.execPath,
      args: [BIN, command, path, ...options],
    })),
  );
  const measured = await measure(competitors, 1);
  return { measured, rows: measured.map((it) => memoryRow(it.name, LIMIT_MB, it)) };
}

if (isMain(import.meta.url)) console.log(toMarkdown((await benchMemory()).rows));
