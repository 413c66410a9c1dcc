import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";

const CACHES = resolve(import.meta.dirname, "..", "node_modules", ".cache", "turnlog");
const OPTIONS = ["--no-save", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];

/**
 * Installs packages that only a test needs, without install scripts, into a cache folder.
 * @param {{ cache: string, packages: readonly string[], entry: readonly string[], test: string }} wanted `entry`: what is needed of them.
 * @returns {string} The path of the entry.
 */
export function installPackages({ cache, packages, entry, test }) {
  const folder = join(CACHES, cache);
  const path = join(folder, "node_modules", ...entry);
  if (existsSync(path)) return path;
  const draft = `${folder}-${process.pid}`; // moved into place when it is whole
  mkdirSync(draft, { recursive: true });
  // npm is a command script on Windows, which only a shell can start.
  const npm = spawnSync("npm", ["install", "--prefix", ".", ...OPTIONS, ...packages], {
    cwd: draft,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (npm.status === 0 && !existsSync(folder)) renameSync(draft, folder);
  rmSync(draft, { recursive: true, force: true });
  if (existsSync(path)) return path;
  const reason = npm.error?.message ?? `npm ended with ${npm.status}: ${npm.stderr}`;
  throw new Error(`Cannot install ${packages.join(", ")}, which ${test} needs, into ${folder}. ${reason}`);
}
