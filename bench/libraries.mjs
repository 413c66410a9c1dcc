import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { cacheFolder } from "./cache-folder.mjs";
import { findNode24 } from "./find-node24.mjs";
import { generateLibrary } from "./generate-library.mjs";

/**
 * @typedef {{ root: string, size: string, sessions: string }} Library
 * @typedef {{ name: string, path: string }} NodeProgram
 */

export const BIN = resolve(import.meta.dirname, "../dist/bin.js");

/** Small libraries and few rounds: shows that everything runs, not how fast. */
export const isQuick = process.argv.includes("--quick");

/** @returns {Library} */
export function largeLibrary() {
  if (isQuick) return { root: generateLibrary({ bytes: 30_000_000, sessions: 150 }), size: "30 MB", sessions: "150" };
  return { root: generateLibrary({ bytes: 1_000_000_000, sessions: 2000 }), size: "1 GB", sessions: "2,000" };
}

/** As many as somebody has after years. @returns {Library} */
export function manySessions() {
  if (isQuick) return { root: generateLibrary({ bytes: 4_000_000, sessions: 400 }), size: "4 MB", sessions: "400" };
  return { root: generateLibrary({ bytes: 100_000_000, sessions: 10_000 }), size: "100 MB", sessions: "10,000" };
}

/** This Node, and Node 24 where it is installed and another one. @returns {NodeProgram[]} */
export function nodePrograms() {
  const own = { name: `Node ${process.versions.node.split(".")[0]}`, path: process.execPath };
  const newer = findNode24();
  return newer === undefined || own.name === "Node 24" ? [own] : [own, { name: "Node 24", path: newer }];
}

/** Data folders stay until the next run. @param {string} name */
export function dataFolder(name) {
  return join(cacheFolder(), "bench", "data", isQuick ? `quick-${name}` : name);
}

/** No process in the background: what a command costs is all its own. @param {string} library @param {string} data @returns {Record<string, string>} */
export function commandEnv(library, data) {
  return { CLAUDE_CONFIG_DIR: library, TURNLOG_DATA_DIR: data, HOME: data, CI: "1" };
}

/** The data folder with the index of a library, brought up to date by this Node. @param {Library} library @param {string} name */
export function indexedData({ root }, name, node = process.execPath) {
  const data = dataFolder(name);
  mkdirSync(data, { recursive: true });
  const env = { ...process.env, ...commandEnv(root, data) };
  const { status } = spawnSync(node, [BIN, "index", "sync"], { env, stdio: "ignore" });
  if (status !== 0) throw new Error(`the index of ${root} could not be built`);
  return data;
}
