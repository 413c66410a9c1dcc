#!/usr/bin/env node
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "./cache-folder.mjs";
import { isMain } from "./is-main.mjs";

const CCUSAGE = "@ccusage/ccusage-linux-x64";
const CCUSAGE_VERSION = "20.0.24";

/** Peers are installed beside the generated libraries, without install scripts, and never into package.json. @returns {string} The path of the native ccusage. */
export function installCcusage() {
  const folder = join(cacheFolder(), "peers");
  const binary = join(folder, "node_modules", CCUSAGE, "bin", "ccusage");
  if (existsSync(binary)) return binary;
  mkdirSync(folder, { recursive: true });
  const options = ["--ignore-scripts", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"];
  execFileSync("npm", ["install", "--prefix", folder, ...options, `${CCUSAGE}@${CCUSAGE_VERSION}`], {
    stdio: "ignore",
  });
  chmodSync(binary, 0o755); // the package leaves that to its wrapper
  return binary;
}

if (isMain(import.meta.url)) console.log(installCcusage());
