import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, extname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Context } from "hono";

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".map": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};

const NO_PAGE = "<!doctype html><title>turnlog</title><p>turnlog answers at /api; this build has no page.</p>\n";

/** The files of the page. They are listed once, so that no address leads to anything else. */
export interface WebFiles {
  /** Of the page; undefined where this build has none. */
  readonly stylesheet: string | undefined;
  /** A file that is the same for everybody. */
  isAsset(path: string): boolean;
  answer(c: Context): Response;
}

export function openWebFiles(folder: string = join(ownFolder(), "web")): WebFiles {
  const paths = new Map(listFiles(folder).map((name) => [`/${name.split(sep).join("/")}`, join(folder, name)]));
  const isAsset = (path: string) => paths.has(path) && extname(path) !== ".html";
  return {
    stylesheet: [...paths.keys()].find((path) => /^\/assets\/index-[\w-]+\.css$/.test(path)),
    isAsset,
    answer(c) {
      const path = paths.get(c.req.path);
      if (path !== undefined && isAsset(c.req.path)) return send(path, "private, max-age=31536000, immutable");
      if (extname(c.req.path) !== "" && path === undefined) return c.text("not found\n", 404);
      const page = path ?? paths.get("/index.html");
      return page === undefined ? c.html(NO_PAGE) : send(page, "no-cache", linksOf(c.req.path, c.req.query("branch")));
    },
  };
}

/** What the page of a session asks for first: the browser need not wait for its script to do so. */
function linksOf(path: string, branch = ""): Record<string, string> {
  const [, id, turn] = /^\/s\/([\w-]+)(?:\/t\/(\d+))?$/.exec(path) ?? [];
  if (id === undefined || /[^\w-]/.test(branch)) return {};
  const fields = new URLSearchParams({ ...(turn ? { turn } : {}), ...(branch ? { branch } : {}) });
  return { link: `</api/sessions/${id}/opening?${fields}>; rel=preload; as=fetch; crossorigin` };
}

/** Of the bundle, wherever its chunks are. */
function ownFolder(): string {
  const folder = dirname(fileURLToPath(import.meta.url));
  return folder.endsWith(`${sep}chunks`) ? dirname(folder) : folder;
}

function listFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

function send(path: string, cacheControl: string, more: Record<string, string> = {}): Response {
  const type = TYPES[extname(path)] ?? "application/octet-stream";
  const bytes = readFileSync(path);
  const length = String(bytes.length); // what is short is then sent at once and not compressed piece by piece
  return new Response(bytes, {
    headers: { "content-type": type, "content-length": length, "cache-control": cacheControl, ...more },
  });
}
