#!/usr/bin/env node
// Installs a real OpenTelemetry receiver for the trace tests, without install scripts, into a cache folder.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";

const WANTED = "@genkit-ai/telemetry-server@1.43.0";
const CACHE = resolve(import.meta.dirname, "..", "node_modules", ".cache", "turnlog", "telemetry-server");
const ENTRY = join(CACHE, "node_modules", "@genkit-ai", "telemetry-server", "lib", "cjs", "index.js");

console.log(install());

/** @returns {string} The file to require. */
function install() {
  if (existsSync(ENTRY)) return ENTRY;
  const draft = `${CACHE}-${process.pid}`; // moved into place when it is whole
  mkdirSync(draft, { recursive: true });
  const options = ["--no-save", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  // npm is a command script on Windows, which only a shell can start.
  const npm = spawnSync("npm", ["install", "--prefix", ".", ...options, WANTED], {
    cwd: draft,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (npm.status === 0 && !existsSync(CACHE)) renameSync(draft, CACHE);
  rmSync(draft, { recursive: true, force: true });
  if (existsSync(ENTRY)) return ENTRY;
  const reason = npm.error?.message ?? `npm ended with ${npm.status}: ${npm.stderr}`;
  throw new Error(`Cannot install ${WANTED}, which the test of a real receiver needs, into ${CACHE}. ${reason}`);
}
