import { pathToFileURL } from "node:url";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { findChromium, isRoot } from "./find-chromium.js";

const QUIET = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];
const STARTUP_MS = 600_000; // a browser may have to be installed first

const PATIENCE_MS = 50_000;

/** A page, with its errors and requests. */
export interface OpenedPage {
  readonly page: Page;
  /** Console messages, errors and requests to anything but the file; must stay empty. */
  readonly complaints: readonly string[];
}

/** One browser for the tests of a file; each page has a context of its own. */
export function useBrowser(): (
  file: string,
  options?: BrowserContextOptions & { hash?: string },
) => Promise<OpenedPage> {
  let browser: Browser | undefined;
  beforeAll(async () => {
    const options = isRoot() ? { chromiumSandbox: false } : {};
    browser = await chromium.launch({ executablePath: findChromium(), args: QUIET, ...options });
  }, STARTUP_MS);
  afterAll(() => browser?.close());
  return async (file, { hash = "", ...options } = {}) => {
    if (!browser) throw new Error("the browser is not running");
    const context = await browser.newContext(options);
    onTestFinished(() => context.close());
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    const complaints = collectComplaints(page);
    await page.goto(pathToFileURL(file).href + hash);
    return { page, complaints };
  };
}

function collectComplaints(page: Page): string[] {
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!/^(file|data):/.test(request.url())) complaints.push(`request: ${request.url()}`);
  });
  return complaints;
}
