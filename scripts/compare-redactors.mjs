#!/usr/bin/env node
/**
 * Compares turnlog's redactor with the rules of gitleaks and secretlint on the texts of `test/redact/planted-suite.ts`:
 *
 *   node scripts/compare-redactors.mjs [--gitleaks <gitleaks.toml>] [--seeds 801,802,803]
 *
 * secretlint is installed into the cache folder of the benchmarks. gitleaks' rules are one file of its repository
 * (config/gitleaks.toml), which no package registry has: put it into that folder or name it. Prints Markdown.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "vite";
import { cacheFolder } from "../bench/cache-folder.mjs";

const ROOT = resolve(import.meta.dirname, "..");
const FOLDER = join(cacheFolder(), "redactors");
const PACKAGES = ["@secretlint/core@13.0.7", "@secretlint/secretlint-rule-preset-recommend@13.0.7", "smol-toml@1.4.2"];

/** @typedef {{ start: number, end: number }} Span */
/** @typedef {{ name: string, find: (text: string) => Promise<Span[]> | Span[] }} Detector */

const { values: options } = parseArgs({
  options: { gitleaks: { type: "string" }, seeds: { type: "string", default: "801,802,803" } },
});
const seeds = options.seeds.split(",").map(Number);
installPackages();
const { createRedactor, plantedSuite } = await bundleSuite();
const detectors = [turnlog(), ...(await gitleaks()), await secretlint()];
await printTable();

function installPackages() {
  mkdirSync(FOLDER, { recursive: true });
  if (existsSync(join(FOLDER, "node_modules/smol-toml"))) return;
  const flags = ["--ignore-scripts", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"];
  execFileSync("npm", ["install", "--prefix", FOLDER, ...flags, ...PACKAGES], { stdio: "inherit" });
}

/** @param {string} name */
function importFromCache(name) {
  return import(pathToFileURL(createRequire(join(FOLDER, "x.js")).resolve(name)).href);
}

async function bundleSuite() {
  const outDir = join(FOLDER, "suite");
  await build({
    configFile: false,
    logLevel: "error",
    root: ROOT,
    build: {
      ssr: true,
      target: "node20",
      outDir,
      emptyOutDir: true,
      minify: false,
      rollupOptions: {
        input: { redactor: "src/redact/create-redactor.ts", suite: "test/redact/planted-suite.ts" },
        output: { entryFileNames: "[name].mjs" },
      },
    },
  });
  const [redactor, suite] = await Promise.all(
    ["redactor", "suite"].map((name) => import(pathToFileURL(join(outDir, `${name}.mjs`)).href)),
  );
  return { createRedactor: redactor.createRedactor, plantedSuite: suite.plantedSuite };
}

/** @returns {Detector} */
function turnlog() {
  return {
    name: "turnlog",
    find(text) {
      const redacted = createRedactor({ level: "mask" }).text(text);
      return redacted === text ? [] : spansGone(text, redacted);
    },
  };
}

/** What a redacted text no longer has: everything between the parts that it still has. */
function spansGone(/** @type {string} */ text, /** @type {string} */ redacted) {
  const kept = redacted.split(/"?\[REDACTED:[\w.-]+:\d+\]"?/);
  const spans = [];
  let at = 0;
  for (const [index, part] of kept.entries()) {
    const next = index === kept.length - 1 ? text.length - part.length : text.indexOf(part, at);
    if (index > 0) spans.push({ start: at, end: Math.max(at, next) });
    at = Math.max(at, next) + part.length;
  }
  return spans;
}

/** @returns {Promise<Detector[]>} */
async function gitleaks() {
  const path = options.gitleaks ?? join(FOLDER, "gitleaks.toml");
  if (!existsSync(path)) {
    console.error(`gitleaks is left out: its rules are not at ${path}`);
    return [];
  }
  const { parse } = await importFromCache("smol-toml");
  const config = parse(readFileSync(path, "utf8"));
  const skipped = [];
  const rules = [];
  for (const rule of config.rules) {
    const pattern = rule.regex === undefined ? undefined : toJavaScript(rule.regex);
    if (pattern) rules.push({ ...rule, pattern, allowed: allowedBy(rule) });
    else skipped.push(rule.id);
  }
  if (skipped.length > 0) console.error(`not translated, of gitleaks: ${skipped.join(", ")}`);
  const allowed = allowedBy(config);
  return [{ name: "gitleaks' rules", find: (text) => rules.flatMap((rule) => matchRule(rule, text, allowed)) }];
}

/** Go's syntax of regular expressions in JavaScript; undefined where that cannot be said. */
function toJavaScript(/** @type {string} */ source) {
  const isAnyCase = /\(\?i\)/.test(source);
  const plain = source
    .replace(/\(\?i\)/g, "")
    .replace(/\(\?-i:/g, "(?:") // any case there too: finds a little more than gitleaks does
    .replace(/\(\?i:/g, "(?:")
    .replace(/\(\?P</g, "(?<")
    .replaceAll("[[:alnum:]]", "[A-Za-z0-9]")
    .replaceAll("[:alnum:]", "A-Za-z0-9")
    .replaceAll("\\z", "$")
    .replaceAll("\\A", "^");
  try {
    return new RegExp(plain, isAnyCase || /\(\?i:/.test(source) ? "dgi" : "dg");
  } catch {
    return undefined; // named in the output
  }
}

/** @param {{ allowlists?: { regexes?: string[], stopwords?: string[], regexTarget?: string, condition?: string }[], allowlist?: object }} rule */
function allowedBy(rule) {
  const lists = [...(rule.allowlists ?? []), ...(rule.allowlist ? [rule.allowlist] : [])];
  return lists.map((list) => ({
    target: list.regexTarget ?? "secret",
    patterns: (list.regexes ?? []).map(toJavaScript).filter(Boolean),
    stopwords: list.stopwords ?? [],
  }));
}

function matchRule(rule, /** @type {string} */ text, allowed) {
  const small = text.toLowerCase();
  const keywords = rule.keywords ?? [];
  if (keywords.length > 0 && !keywords.some((keyword) => small.includes(keyword.toLowerCase()))) return [];
  return [...text.matchAll(rule.pattern)].flatMap((match) => {
    const group = rule.secretGroup ?? match.findIndex((value, index) => index > 0 && value);
    const secret = match[group > 0 ? group : 0] ?? match[0];
    const span = match.indices[group > 0 ? group : 0] ?? match.indices[0];
    if (rule.entropy !== undefined && entropyOf(secret) <= rule.entropy) return [];
    const isAllowed = [...rule.allowed, ...allowed].some((list) => isListed(list, secret, match[0], text));
    return isAllowed ? [] : [{ start: span[0], end: span[1] }];
  });
}

function isListed({ target, patterns, stopwords }, secret, match, text) {
  const subject = target === "match" ? match : target === "line" ? text : secret;
  const isPattern = patterns.some((pattern) =>
    new RegExp(pattern.source, pattern.flags.replace("g", "")).test(subject),
  );
  return isPattern || stopwords.some((word) => secret.toLowerCase().includes(word));
}

function entropyOf(/** @type {string} */ text) {
  const counts = new Map();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  return [...counts.values()].reduce((sum, count) => sum - (count / text.length) * Math.log2(count / text.length), 0);
}

/** @returns {Promise<Detector>} */
async function secretlint() {
  const { lintSource } = await importFromCache("@secretlint/core");
  const preset = await importFromCache("@secretlint/secretlint-rule-preset-recommend");
  const config = {
    rules: [{ id: "@secretlint/secretlint-rule-preset-recommend", rule: preset.creator ?? preset.default?.creator }],
  };
  return {
    name: "secretlint (recommended)",
    async find(text) {
      const source = { filePath: "/x.txt", content: text, contentType: "text", ext: ".txt" };
      const { messages } = await lintSource({ source, options: { config, noPhysicFilePath: true } });
      return messages.map(({ range }) => ({ start: range[0], end: range[1] }));
    },
  };
}

/** Every secret must be touched by a finding; turnlog must leave nothing of it, but the same measure counts for all. */
async function isFound(/** @type {Detector} */ { find }, { text, secrets }) {
  const spans = await find(text);
  return secrets.every((secret) => {
    const start = text.indexOf(secret);
    return start < 0 || spans.some((span) => span.start < start + secret.length && span.end > start);
  });
}

async function shareOf(items, /** @type {(item: never) => Promise<boolean>} */ test) {
  let count = 0;
  for (const item of items) if (await test(item)) count++;
  return items.length === 0 ? "–" : `${((100 * count) / items.length).toFixed(1)} %`;
}

async function printTable() {
  const suites = seeds.map((seed) => plantedSuite(seed));
  const standard = suites.flatMap((suite) => suite.standard);
  const hard = suites.flatMap((suite) => suite.hard);
  const lookAlikes = suites.flatMap((suite) => suite.lookAlikes);
  const groups = [...new Set(standard.map(({ group }) => group))];
  const rows = [
    ["as people write it", standard],
    ...groups.map((group) => [`… ${group}`, standard.filter((item) => item.group === group)]),
    ["hidden", hard],
  ];
  console.log(`| seeds ${seeds.join(", ")} | number | ${detectors.map(({ name }) => name).join(" | ")} |`);
  console.log(`|---|${"---|".repeat(detectors.length + 1)}`);
  for (const [name, items] of rows) {
    const shares = [];
    for (const detector of detectors) shares.push(await shareOf(items, (item) => isFound(detector, item)));
    console.log(`| ${name} | ${items.length} | ${shares.join(" | ")} |`);
  }
  const taken = [];
  for (const detector of detectors) {
    taken.push(await shareOf(lookAlikes, async (text) => (await detector.find(text)).length > 0));
  }
  console.log(`| look-alikes, taken | ${lookAlikes.length} | ${taken.join(" | ")} |`);
}
