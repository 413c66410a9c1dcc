import { lookup } from "node:dns";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { ToolError } from "../tool.js";

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
  /** Default: 30 s. */
  readonly deadline?: AbortSignal;
}

const MAX_BYTES = 10 * 1024 * 1024;
const TIMEOUT_MS = 30_000;
const MAX_REDIRECTS = 5;

/** Follows redirects on the same host only; a redirect to another host is reported, because it needs its own permission. */
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

/** Connects to the address that was checked, so that a second DNS answer cannot differ. */
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

const PRIVATE = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3],
] as const) {
  PRIVATE.addSubnet(network, prefix, "ipv4");
}
for (const [network, prefix] of [
  ["::", 96], // unspecified, loopback, and old forms of IPv4 addresses
  ["64:ff9b::", 96], // these three embed IPv4 addresses
  ["64:ff9b:1::", 48],
  ["2002::", 16],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
] as const) {
  PRIVATE.addSubnet(network, prefix, "ipv6");
}

/** True for this machine, the local network, cloud metadata and everything else that is not public. */
export function isPrivateAddress(address: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return isPrivateAddress(mapped);
  const family = isIP(address);
  if (family === 0) return true;
  return PRIVATE.check(address, family === 4 ? "ipv4" : "ipv6");
}
