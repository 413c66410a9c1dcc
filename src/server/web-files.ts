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

const NO_PAGE =
  "<!doctype html><title>turnlog</title><p>This build of turnlog has no web UI. The API is at /api.</p>\n";

/** The files of the web UI, read at start: no request reaches another file, and a later build does not mix with this one. */
export interface WebFiles {
  /** Undefined where this build has no web UI. */
  readonly stylesheet: string | undefined;
  /** A script, style or font: the same for every visitor, so it needs no login. */
  isAsset(path: string): boolean;
  answer(c: Context): Response;
}

export function openWebFiles(folder: string = join(ownFolder(), "web")): WebFiles {
  const files = new Map(listFiles(folder).map((name) => [`/${name.split(sep).join("/")}`, readFile(folder, name)]));
  const isAsset = (path: string) => files.has(path) && extname(path) !== ".html";
  return {
    stylesheet: [...files.keys()].find((path) => /^\/assets\/index-[\w-]+\.css$/.test(path)),
    isAsset,
    answer(c) {
      const file = files.get(c.req.path);
      if (file !== undefined && isAsset(c.req.path)) return send(file, "private, max-age=31536000, immutable");
      if (extname(c.req.path) !== "" && file === undefined) return c.text("not found\n", 404);
      const page = file ?? files.get("/index.html");
      return page === undefined ? c.html(NO_PAGE) : send(page, "no-cache", linksOf(c.req.path, c.req.query("branch")));
    },
  };
}

/** Lets the browser request the opening of a session before the script runs. */
function linksOf(path: string, branch = ""): Record<string, string> {
  const [, id, turn] = /^\/s\/([\w-]+)(?:\/t\/(\d+))?$/.exec(path) ?? [];
  if (id === undefined || /[^\w-]/.test(branch)) return {};
  const fields = new URLSearchParams({ ...(turn ? { turn } : {}), ...(branch ? { branch } : {}) });
  return { link: `</api/sessions/${id}/opening?${fields}>; rel=preload; as=fetch; crossorigin` };
}

/** The folder of the bundle; this code may be in one of its chunks. */
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

interface WebFile {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

function readFile(folder: string, name: string): WebFile {
  const type = TYPES[extname(name)] ?? "application/octet-stream";
  return { type, bytes: new Uint8Array(readFileSync(join(folder, name))) };
}

function send({ type, bytes }: WebFile, cacheControl: string, more: Record<string, string> = {}): Response {
  return new Response(bytes, { headers: { "content-type": type, "cache-control": cacheControl, ...more } });
}
