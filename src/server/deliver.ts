import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import type { MiddlewareHandler } from "hono";

/** Below this, compressing takes longer than sending. */
export const LONG_BYTES = 16 * 1024;

const compress = promisify(gzip);

/**
 * Sends an answer of the API in one piece: with a tag, so that the page need not be sent what it has, and compressed
 * where it is long. (Streams would do the same, at several times the cost of a short answer.)
 */
export const deliver: MiddlewareHandler = async (c, next) => {
  await next();
  if (c.req.method !== "GET" || c.res.status !== 200) return;
  const bytes = Buffer.from(await c.res.arrayBuffer());
  const etag = `W/"${createHash("sha1").update(bytes).digest("base64url")}"`;
  const headers = new Headers(c.res.headers);
  headers.set("etag", etag);
  if (!headers.has("cache-control")) headers.set("cache-control", "private, no-cache"); // asked for again with the tag
  headers.append("vary", "accept-encoding");
  c.res = undefined; // else its headers and body are copied
  if (c.req.header("if-none-match")?.includes(etag)) {
    for (const name of ["content-type", "content-length"]) headers.delete(name);
    c.res = new Response(null, { status: 304, headers });
    return;
  }
  const isCompressed = bytes.length >= LONG_BYTES && /\bgzip\b/.test(c.req.header("accept-encoding") ?? "");
  const body = isCompressed ? await compress(bytes, { level: constants.Z_BEST_SPEED }) : bytes;
  if (isCompressed) headers.set("content-encoding", "gzip");
  headers.set("content-length", String(body.length));
  c.res = new Response(new Uint8Array(body), { headers });
};
