import type { Hono } from "hono";
import { onTestFinished } from "vitest";
import type { RootOptions } from "../../src/app/session-roots.js";
import type { RequestLimits } from "../../src/server/access/guard.js";
import { type AccessTokens, createAccessTokens } from "../../src/server/access/tokens.js";
import type { StartAnswer } from "../../src/server/api/start.js";
import { createApp } from "../../src/server/create-app.js";
import { openServedLibrary, type ServedLibrary } from "../../src/server/library/served-library.js";
import { openWebFiles } from "../../src/server/web-files.js";
import { captureWorld } from "../cli/run-cli.js";
import { temporaryFolder } from "../format/temporary-folder.js";

export const PORT = 4871;

export interface ServedApp {
  readonly app: Hono;
  readonly access: AccessTokens;
  readonly library: ServedLibrary;
  readonly data: string;
  written(): string;
  close(): void;
  /** With the cookie, as the web UI does. */
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  json<Answer>(path: string): Promise<Answer>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
}

interface World {
  readonly host?: string;
  readonly password?: string;
  readonly limits?: RequestLimits;
  readonly web?: string;
  readonly settings?: object;
}

/** The server without a port: requests are answered in this process. */
export async function serveApp(roots: RootOptions, world: World = {}): Promise<ServedApp> {
  const data = temporaryFolder({ "config.json": JSON.stringify(world.settings ?? {}) });
  const { io, written } = captureWorld({ TURNLOG_DATA_DIR: data });
  const library = await openServedLibrary(roots, io);
  const access = createAccessTokens(world.password === undefined ? {} : { password: world.password });
  const closing = new AbortController();
  const app = createApp({
    library,
    io,
    access,
    host: world.host ?? "127.0.0.1",
    port: () => PORT,
    web: openWebFiles(world.web ?? temporaryFolder()),
    closing: closing.signal,
    ...(world.limits === undefined ? {} : { limits: world.limits }),
  });
  onTestFinished(async () => {
    closing.abort();
    await library.close();
  });
  await library.sync.refresh();
  const own = { host: `127.0.0.1:${PORT}`, cookie: `turnlog-${PORT}=${access.cookie}` };
  const ask = (path: string, init: RequestInit) =>
    Promise.resolve(app.request(`http://127.0.0.1:${PORT}${path}`, init));
  const get = (path: string, headers = {}) => ask(path, { headers: { ...own, ...headers } });
  return {
    app,
    access,
    library,
    data,
    written: () => written().stderr,
    close: () => closing.abort(),
    get,
    json: async <Answer>(path: string) => (await get(path)).json() as Promise<Answer>,
    async post(path, body, headers = {}) {
      const { changeToken } = (await (await get("/api/start")).json()) as StartAnswer;
      const all = { ...own, "content-type": "application/json", "x-turnlog-token": changeToken, ...headers };
      return ask(path, { method: "POST", headers: all, body: JSON.stringify(body) });
    },
  };
}
