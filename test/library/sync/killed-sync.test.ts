import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, cpSync, mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { useIndex } from "../../../src/library/sync/use-index.js";
import { answer, type Draft, prompt, resultFor, toolUses, writeLines } from "../../builders/session-builder.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { transpiledModule } from "../../format/writer/transpiled-sources.js";
import { contentsOf, freshContents, projectFolder } from "./index-contents.js";

const KILLS = 20;
const BATCH_BYTES = 32 * 1024;

const idOf = (number: number) => `${String(number).padStart(8, "0")}-0000-4000-8000-000000000000`;

function writeTurns(turns: number, name: string): string {
  const drafts = Array.from({ length: turns }, (_, at): Draft[] => [
    prompt(`question ${at} of ${name}`),
    toolUses(`t${at}`),
    resultFor(`t${at}`, `printed by ${name} `.repeat(200)),
    answer(`answer ${at}, camelCase${at}`),
  ]);
  return `${writeLines(drafts.flat()).join("\n")}\n`;
}

/** A few megabytes: many sessions, and one that takes several pieces. */
function writeLibrary(root: string): void {
  mkdirSync(projectFolder(root), { recursive: true });
  for (let number = 0; number < 30; number++) {
    writeFileSync(join(projectFolder(root), `${idOf(number)}.jsonl`), writeTurns(3, `session${number}`));
  }
  writeFileSync(join(projectFolder(root), `${idOf(99)}.jsonl`), writeTurns(120, "large"));
}

function changeLibrary(root: string): void {
  const file = (number: number, project = "-p0") => join(projectFolder(root, project), `${idOf(number)}.jsonl`);
  mkdirSync(projectFolder(root, "-p1"));
  for (let number = 0; number < 10; number++) appendFileSync(file(number), writeTurns(2, "more"));
  for (let number = 10; number < 15; number++) truncateSync(file(number), 5000);
  for (let number = 15; number < 20; number++) writeFileSync(file(number), writeTurns(2, "other"));
  for (let number = 20; number < 25; number++) renameSync(file(number), file(number, "-p1"));
  for (let number = 25; number < 30; number++) rmSync(file(number));
  appendFileSync(file(99), writeTurns(60, "grown"));
}

/** A process that syncs, and says how many pieces it has read so far. */
function startSync(module: string, dataFolder: string, root: string): ChildProcess {
  const script = `
    import { useIndex } from ${JSON.stringify(module)};
    let pieces = 0;
    const options = { batchBytes: ${BATCH_BYTES}, onProgress: () => console.log(++pieces) };
    console.log(pieces);
    await useIndex(${JSON.stringify(dataFolder)}, [${JSON.stringify(root)}], options, () => {});
  `;
  const stdio = ["ignore", "pipe", "inherit"] as const;
  return spawn(process.execPath, ["--input-type=module", "--eval", script], { stdio: [...stdio] });
}

/** Until it has read so many pieces, or all. Gives back how many it has read. */
async function readPieces({ stdout }: ChildProcess, wanted = Number.POSITIVE_INFINITY): Promise<number> {
  let pieces = 0;
  if (!stdout) return pieces;
  for await (const line of createInterface({ input: stdout })) {
    pieces = Number(line);
    if (pieces >= wanted) break;
  }
  return pieces;
}

test(`a sync that is killed at one of ${KILLS} moments loses nothing`, { timeout: 300_000 }, async () => {
  const module = transpiledModule("library/sync/use-index", ["format", "session", "store", "redact", "library"]);
  const root = temporaryFolder();
  const folders = temporaryFolder();
  const before = join(folders, "before");
  const grown = join(folders, "grown");
  writeLibrary(root);
  await useIndex(before, [root], {}, () => {});
  changeLibrary(root);
  cpSync(before, grown, { recursive: true });
  const expected = await freshContents(root);
  const piecesOf = {
    grown: await readPieces(startSync(module, grown, root)),
    fresh: await readPieces(startSync(module, join(folders, "fresh"), root)),
  };
  let killed = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const dataFolder = join(folders, `killed-${kill}`);
    const isGrown = kill % 2 === 0;
    if (isGrown) cpSync(before, dataFolder, { recursive: true });
    const child = startSync(module, dataFolder, root);
    const pieces = Math.floor(Math.random() * (isGrown ? piecesOf.grown : piecesOf.fresh));
    await readPieces(child, pieces);
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "close");
    if (child.signalCode === "SIGKILL") killed += 1;
    await useIndex(dataFolder, [root], {}, (index) => {
      expect(index && contentsOf(index), `killed after ${pieces} pieces`).toEqual(expected);
    });
    rmSync(dataFolder, { recursive: true });
  }
  expect(killed).toBeGreaterThan(KILLS / 2);
});
