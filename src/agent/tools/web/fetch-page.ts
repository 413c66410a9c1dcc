import { lookup } from "node:dns";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { ToolError } from "../tool.js";
import { isPrivateAddress } from "./private-address.js";

export interface Page {
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  readonly contentType: string;
  readonly body: Buffer;
}

export interface FetchOptions {
  readonly allowsPrivate: boolean;
  readonly signal: AbortSignal;
  /** When it has taken too long; 30 s unless given. */
  readonly deadline?: AbortSignal;
}

const MAX_BYTES = 10 * 1024 * 1024;
const TIMEOUT_MS = 30_000;
const MAX_REDIRECTS = 5;

/** Follows redirects on the same host only; another host is told, so that its permission can be asked for. */
export async function fetchPage(
  address: string,
  options: FetchOptions,
): Promise<Page | { readonly redirectsTo: string }> {
  let url = toUrl(address);
  const { deadline = AbortSignal.timeout(TIMEOUT_MS) } = options;
  const limited = { ...options, signal: AbortSignal.any([options.signal, deadline]) };
  const inTime = <T>(action: Promise<T>) =>
    action.catch((error: unknown) => {
      throw deadline.aborted ? new ToolError(`${address} took more than ${TIMEOUT_MS / 1000} s.`) : error;
    });
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await inTime(get(url, limited));
    const location = response.headers.location;
    const status = response.statusCode ?? 0;
    if (status < 300 || status > 399 || location === undefined) return inTime(readPage(url, response));
    response.destroy();
    const next = toUrl(new URL(location, url).href);
    if (next.host !== url.host) return { redirectsTo: next.href };
    url = next;
  }
  throw new ToolError(`${address} redirects more than ${MAX_REDIRECTS} times.`);
}

function toUrl(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !["http:", "https:"].includes(url.protocol)) throw new ToolError(`Not a web address: ${address}`, true);
  if (url.username !== "" || url.password !== "")
    throw new ToolError("Addresses with a password are not fetched.", true);
  return url;
}

async function get(url: URL, { allowsPrivate, signal }: FetchOptions): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (!allowsPrivate && isIP(host) !== 0 && isPrivateAddress(host)) throw privateError(host);
  const request = url.protocol === "https:" ? requestHttps : requestHttp;
  const headers = {
    "user-agent": "turnlog",
    accept: "text/html, text/markdown, text/plain, */*",
    "accept-encoding": "identity",
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      headers,
      signal,
      ...(allowsPrivate ? {} : { lookup: lookupPublic }),
    });
    outgoing.once("response", resolve);
    outgoing.once("error", (error) => {
      reject(error instanceof ToolError ? error : new ToolError(`${url.href} cannot be fetched: ${error.message}`));
    });
    outgoing.end();
  });
}

/** The address that is judged is the one that is connected to, so that a name cannot change its mind in between. */
const lookupPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const first = addresses?.[0];
    if (error || !first) return callback(error ?? new Error(`${hostname} has no address`), "", 0);
    if (addresses.some(({ address }) => isPrivateAddress(address))) return callback(privateError(hostname), "", 0);
    if (options.all) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};

function privateError(host: string): ToolError {
  return new ToolError(
    `${host} is on this machine or in a private network; such addresses are not fetched, unless a person starts the chat with --allow-private-addresses.`,
  );
}

async function readPage(url: URL, response: IncomingMessage): Promise<Page> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of response) {
      const bytes = Buffer.from(piece as Uint8Array);
      size += bytes.length;
      if (size > MAX_BYTES) throw new ToolError(`${url.href} is larger than ${MAX_BYTES / 1024 / 1024} MB.`);
      pieces.push(bytes);
    }
  } catch (error) {
    throw error instanceof ToolError ? error : new ToolError(`${url.href} broke off: ${String(error)}`);
  }
  return {
    url: url.href,
    status: response.statusCode ?? 0,
    statusText: response.statusMessage ?? "",
    contentType: response.headers["content-type"] ?? "",
    body: Buffer.concat(pieces),
  };
}
