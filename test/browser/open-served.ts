import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import axe from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { addressOf, type ServedPage, servePage } from "../../src/server/serve.js";
import { captureWorld } from "../cli/run-cli.js";
import { findChromium, isRoot } from "./find-chromium.js";

const ROOT = resolve(import.meta.dirname, "..", "..");
const STARTUP_MS = 600_000; // a browser may have to be installed first
const PATIENCE_MS = 20_000;
const WIDE = { viewport: { width: 1500, height: 900 } };

export interface ServedVisit {
  readonly page: Page;
  /** Console messages, errors and requests to anything but the server; must stay empty. */
  readonly complaints: readonly string[];
  /** The folder of the sessions, and turnlog's own. */
  readonly library: string;
  readonly data: string;
}

interface ServedOptions {
  readonly isEmpty?: boolean;
  readonly password?: string;
  /** More session files, or replacements: text by path. */
  readonly files?: Readonly<Record<string, string>>;
}

/** The real server on a copy of the demo library, or on an empty one, and a browser to visit it. */
export function useServedPage({
  isEmpty = false,
  files = {},
  ...access
}: ServedOptions = {}): (path?: string, options?: BrowserContextOptions) => Promise<ServedVisit> {
  const world = mkdtempSync(join(tmpdir(), "turnlog-page-"));
  const library = join(world, "library");
  const data = join(world, "data");
  let browser: Browser | undefined;
  let served: ServedPage | undefined;
  beforeAll(async () => {
    if (isEmpty) mkdirSync(library);
    else copyDemo(library, files);
    const { io } = captureWorld({ TURNLOG_DATA_DIR: data });
    served = await servePage({ configDir: library, port: 0, web: join(ROOT, "dist", "web"), ...access }, io);
    await served.library.sync.refresh();
    const options = isRoot() ? { chromiumSandbox: false } : {};
    browser = await chromium.launch({ executablePath: findChromium(), ...options });
  }, STARTUP_MS);
  afterAll(async () => {
    await browser?.close();
    await served?.close();
    rmSync(world, { recursive: true, force: true });
  });
  return async (path = "/", options = {}) => {
    if (!browser || !served) throw new Error("the browser is not running");
    const context = await browser.newContext({ ...WIDE, ...options });
    onTestFinished(() => context.close()); // an open page keeps listening to the server
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    const address = new URL(addressOf("127.0.0.1", served.port, served.access.token));
    const complaints = collectComplaints(page, address.origin);
    const target = new URL(path, address);
    target.searchParams.set("token", served.access.token);
    await page.goto(target.href);
    return { page, complaints, library, data };
  };
}

/** With old file times, so that none of these sessions is live. */
function copyDemo(library: string, files: Readonly<Record<string, string>>): void {
  cpSync(join(ROOT, "demo"), library, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(library, path)), { recursive: true });
    writeFileSync(join(library, path), text);
  }
  const past = new Date("2026-01-01T00:00:00Z");
  for (const entry of readdirSync(library, { recursive: true, withFileTypes: true })) {
    utimesSync(join(entry.parentPath, entry.name), past, past);
  }
}

function collectComplaints(page: Page, origin: string): string[] {
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (!["data:", "blob:"].includes(url.protocol) && url.origin !== origin) complaints.push(`request: ${url.href}`);
  });
  return complaints;
}

/** What axe finds, without minor issues. It runs outside the content security policy of the page. */
export async function stumblingBlocks(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = (await page.evaluate("axe.run()")) as { violations: Finding[] };
  return found.violations
    .filter(({ impact }) => impact !== "minor")
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`);
}

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}
