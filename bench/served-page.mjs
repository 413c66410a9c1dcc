import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { cacheFolder } from "./cache-folder.mjs";
import { generateLongSession } from "./generate-library.mjs";
import { BIN } from "./libraries.mjs";
import { vocabularyOf } from "./vocabulary.mjs";

/**
 * @typedef {{ address: URL, pid: number | undefined, ask(path: string): Promise<{ ms: number, answer: any }>, close(): Promise<void> }} Page
 */

export const LONG_ID = "20000000-0000-4000-8000-000000000000";
const TYPED_WORDS = 30;
const POLL_MS = 100;

/** Words as they are typed, from their second letter on. @param {string} library */
export function keystrokes(library) {
  const { words } = vocabularyOf(library);
  const step = Math.max(1, Math.floor(words.length / TYPED_WORDS));
  return words
    .filter((_, at) => at % step === 0)
    .flatMap((word) => Array.from({ length: word.length - 1 }, (_, at) => word.slice(0, at + 2)));
}

export function longLibrary() {
  const root = join(cacheFolder(), "bench", "long-library");
  const path = join(root, "projects", "-home-dev-long", `${LONG_ID}.jsonl`);
  if (!existsSync(path)) {
    mkdirSync(dirname(path), { recursive: true });
    copyFileSync(generateLongSession(), path);
  }
  return root;
}

/** Once its index is up to date. @template Answers @param {string} library @param {string} data @param {(page: Page) => Promise<Answers>} use */
export function withPage(library, data, use) {
  return withStartedPage(library, data, async (page) => {
    while ((await page.ask("/api/start")).answer.index.state !== "ready") await sleep(POLL_MS);
    return use(page);
  });
}

/** As soon as it has an address. @template Answers @param {string} library @param {string} data @param {(page: Page) => Promise<Answers>} use */
export async function withStartedPage(library, data, use) {
  const page = await openPage(library, data);
  try {
    return await use(page);
  } finally {
    await page.close();
  }
}

/** @param {string} library @param {string} data @returns {Promise<Page>} */
async function openPage(library, data) {
  mkdirSync(data, { recursive: true });
  const child = spawn(process.execPath, [BIN, "open", "--no-open", "--port", "0"], {
    env: environment(library, data),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [printed] = await once(child.stdout, "data");
  const address = new URL(String(printed).trim());
  const headers = { "x-turnlog-token": address.searchParams.get("token") ?? "" };
  /** @type {Page["ask"]} */
  const ask = async (path) => {
    const started = performance.now();
    const request = () => fetch(new URL(path, address), { headers });
    const response = await request().catch(request); // a kept connection may be closed just when it is used again
    const text = await response.text();
    const ms = performance.now() - started;
    if (!response.ok) throw new Error(`${path}: ${text}`);
    return { ms, answer: JSON.parse(text) };
  };
  return {
    address,
    pid: child.pid,
    ask,
    async close() {
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

/** As somebody starts it, and not a test: with `CI` nothing is indexed in the background. @param {string} library @param {string} data */
function environment(library, data) {
  return { ...process.env, CI: "", CLAUDE_CONFIG_DIR: library, TURNLOG_DATA_DIR: data, HOME: data };
}
