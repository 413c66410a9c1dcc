#!/usr/bin/env node
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "./cache-folder.mjs";
import { isMain } from "./is-main.mjs";

const CCUSAGE = "@ccusage/ccusage-linux-x64@20.0.24";
const RIPGREP = "@vscode/ripgrep-linux-x64@1.18.0";
const AGENT_SDK = "@anthropic-ai/claude-agent-sdk@0.3.325";

/** @returns {string} The path of the native ccusage. */
export function installCcusage() {
  return install(CCUSAGE, "bin/ccusage");
}

/** @returns {string} The path of ripgrep. */
export function installRipgrep() {
  return install(RIPGREP, "bin/rg");
}

/** @returns {string} The path of the Agent SDK's module. */
export function installAgentSdk() {
  return install(AGENT_SDK, "sdk.mjs");
}

/** Peers are installed beside the generated libraries, without install scripts, and never into package.json. @param {string} wanted @param {string} program */
function install(wanted, program) {
  const folder = join(cacheFolder(), "peers");
  const binary = join(folder, "node_modules", wanted.slice(0, wanted.lastIndexOf("@")), program);
  if (!existsSync(binary)) {
    mkdirSync(folder, { recursive: true });
    const options = ["--ignore-scripts", "--omit=optional", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"];
    execFileSync("npm", ["install", "--prefix", folder, ...options, CCUSAGE, RIPGREP, AGENT_SDK], { stdio: "ignore" });
  }
  chmodSync(binary, 0o755); // some packages leave that to their wrapper
  return binary;
}

if (isMain(import.meta.url)) console.log(`${installCcusage()}\n${installRipgrep()}\n${installAgentSdk()}`);
