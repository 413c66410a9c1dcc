import { once } from "node:events";
import type { Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import type { RootOptions } from "../app/session-roots.js";
import type { Environment } from "../app/settings.js";
import { errorCode, UserError } from "../errors.js";
import { LOOPBACK, reachableName } from "./access/allowed-hosts.js";
import { type AccessTokens, createAccessTokens } from "./access/tokens.js";
import type { DemoAnswer } from "./api/start.js";
import { createApp } from "./create-app.js";
import { limitConnections } from "./http/limit-connections.js";
import { openServedLibrary, type ServedLibrary } from "./library/served-library.js";
import { viewSessionOutline } from "./views/outline.js";
import { openWebFiles } from "./web-files.js";

export interface ServeOptions extends RootOptions {
  readonly host?: string;
  /** Default: 4870, or any free port where that is taken. */
  readonly port?: number;
  readonly password?: string;
  /** The folder of the web UI, if not next to the program. */
  readonly web?: string;
}

export interface ServedPage {
  readonly port: number;
  readonly access: AccessTokens;
  readonly library: ServedLibrary;
  close(): Promise<void>;
}

const DEFAULT_PORT = 4870;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const MAX_CONNECTIONS = 256;
/** Open connections get this long to finish. */
const CLOSE_MS = 1000;

/** Opens the library and serves it on a port until it is closed. */
export async function servePage(options: ServeOptions, io: Environment): Promise<ServedPage> {
  const { host = LOOPBACK, password } = options;
  const library = await openServedLibrary(options, io);
  void library.synced.then(() => readAhead(library));
  const access = createAccessTokens(password === undefined ? {} : { password });
  const closing = new AbortController();
  const demo = demoBeside(options, io);
  let port = 0;
  const app = createApp({
    library,
    io,
    access,
    host,
    port: () => port,
    web: openWebFiles(options.web),
    closing: closing.signal,
    openDemo: options.demo ? undefined : demo.open,
  });
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  limit(server);
  try {
    port = await listen(server, host, options.port);
  } catch (error) {
    await library.close();
    throw error;
  }
  return {
    port,
    access,
    library,
    async close() {
      closing.abort();
      await demo.close();
      await closeServer(server);
      await library.close();
    },
  };
}

/** The demo sessions on their own port, started on request. */
function demoBeside(options: ServeOptions, io: Environment): { open(): Promise<DemoAnswer>; close(): Promise<void> } {
  const { configDir: _configDir, ...others } = options;
  let page: Promise<ServedPage> | undefined;
  return {
    async open() {
      page ??= servePage({ ...others, demo: true, port: 0 }, io).catch((error: unknown) => {
        page = undefined;
        throw error;
      });
      const { port, access } = await page;
      return { port, token: access.token };
    },
    close: async () => (await page)?.close(),
  };
}

/** The address that opens the web UI; the first answer redirects to the address without the token. */
export function addressOf(host: string, port: number, token: string): string {
  return `http://${reachableName(host)}:${port}/?token=${token}`;
}

function limit(server: Server): void {
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  limitConnections(server, MAX_CONNECTIONS);
}

async function listen(server: Server, host: string, port: number | undefined): Promise<number> {
  try {
    return await tryListen(server, host, port ?? DEFAULT_PORT);
  } catch (error) {
    const code = errorCode(error);
    if (code === "EADDRINUSE" && port === undefined) return tryListen(server, host, 0);
    if (code === undefined) throw error;
    const hint = "choose another port with --port, or another address with --host";
    throw new UserError("busy", `cannot listen on ${host}:${port ?? DEFAULT_PORT} (${code})`, hint, { cause: error });
  }
}

async function tryListen(server: Server, host: string, port: number): Promise<number> {
  server.listen(port, host);
  await once(server, "listening");
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), CLOSE_MS);
  await closed;
  clearTimeout(timer);
}

/** Reading a session of this size takes about a second. */
const LARGE_BYTES = 24 * 1024 * 1024;
const READ_AHEAD = 2;

/** Fills the caches with what is requested first: the list, and the latest large sessions. */
async function readAhead({ list, open, loadOptions, warn }: ServedLibrary): Promise<void> {
  try {
    const large = (await list()).filter(({ sizeBytes, archived }) => sizeBytes > LARGE_BYTES && !archived);
    for (const summary of large.slice(0, READ_AHEAD)) {
      viewSessionOutline(await open(summary.id), summary, { branch: undefined, from: 1 }, await loadOptions());
    }
  } catch (error) {
    warn(String(error));
  }
}
