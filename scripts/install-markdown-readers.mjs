#!/usr/bin/env node
// Installs Markdown renderers that others use, for the test of exported documents, without install scripts, into a cache folder.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";

const WANTED = [
  "commonmark@0.31.2",
  "marked@18.2.0",
  "showdown@2.1.0",
  "unified@11.0.5",
  "remark-parse@11.0.0",
  "remark-gfm@4.0.1",
  "remark-rehype@11.1.2",
  "rehype-raw@7.0.0",
  "rehype-stringify@10.0.1",
];
const CACHE = resolve(import.meta.dirname, "..", "node_modules", ".cache", "turnlog", "markdown-readers");
const MODULES = join(CACHE, "node_modules");

console.log(install());

/** @returns {string} The folder with the packages. */
function install() {
  if (existsSync(MODULES)) return MODULES;
  const draft = `${CACHE}-${process.pid}`; // moved into place when it is whole
  mkdirSync(draft, { recursive: true });
  const options = ["--no-save", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  // npm is a command script on Windows, which only a shell can start.
  const npm = spawnSync("npm", ["install", "--prefix", ".", ...options, ...WANTED], {
    cwd: draft,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (npm.status === 0 && !existsSync(CACHE)) renameSync(draft, CACHE);
  rmSync(draft, { recursive: true, force: true });
  if (existsSync(MODULES)) return MODULES;
  const reason = npm.error?.message ?? `npm ended with ${npm.status}: ${npm.stderr}`;
  throw new Error(
    `Cannot install ${WANTED.join(", ")}, which the test of exported Markdown needs, into ${CACHE}. ${reason}`,
  );
}
