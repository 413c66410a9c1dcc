import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import type { Context, MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import { isFileError, UserError, type UserErrorCode } from "../../errors.js";
import type { ApiFailure, Refused } from "../api/start.js";

/** Below this, compressing takes longer than sending. */
const LONG_BYTES = 16 * 1024;
/** Not event streams and exports: they are sent piece by piece. */
const SENT_WHOLE = /^(?:application\/json|text\/(?:css|html|javascript|plain)|image\/svg\+xml)\b/;

const compress = promisify(gzip);

/**
 * Sends an answer in one piece, compressed if it is long. Answers without a cache policy of their own get a tag, so that a
 * browser is not sent again what it has. (Hono's streaming middleware costs several times as much for a short answer.)
 */
export const sendAnswer: MiddlewareHandler = async (c, next) => {
  await next();
  if (c.res.status !== 200 || !SENT_WHOLE.test(c.res.headers.get("content-type") ?? "")) return;
  const bytes = Buffer.from(await c.res.arrayBuffer());
  const headers = new Headers(c.res.headers);
  headers.append("vary", "accept-encoding");
  c.res = undefined; // else its headers and body are copied
  if (c.req.method === "GET" && !headers.has("cache-control")) {
    const etag = `W/"${createHash("sha1").update(bytes).digest("base64url")}"`;
    headers.set("etag", etag);
    headers.set("cache-control", "private, no-cache"); // stored, but requested again with the tag
    if (c.req.header("if-none-match")?.includes(etag)) {
      for (const name of ["content-type", "content-length"]) headers.delete(name);
      c.res = new Response(null, { status: 304, headers });
      return;
    }
  }
  const isCompressed = bytes.length >= LONG_BYTES && /\bgzip\b/.test(c.req.header("accept-encoding") ?? "");
  const body = isCompressed ? await compress(bytes, { level: constants.Z_BEST_SPEED }) : bytes;
  if (isCompressed) headers.set("content-encoding", "gzip");
  headers.set("content-length", String(body.length));
  c.res = new Response(new Uint8Array(body), { headers });
};

type Status = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 421 | 422 | 429 | 500 | 503;

const STATUS: Readonly<Record<UserErrorCode, Status>> = {
  usage: 400,
  "not-found": 404,
  ambiguous: 409,
  exists: 409,
  busy: 409,
  locked: 409,
  unreadable: 422,
  config: 500,
  newer: 500,
};

/** Errors that a user can fix keep their message and hint; of a bug, the details go to the terminal only. */
export function answerFailure(error: unknown, c: Context, warn: (text: string) => void): Response {
  if (error instanceof UserError) return failure(c, STATUS[error.code], error.code, error.message, error.hint);
  if (error instanceof HTTPException) return failure(c, error.status as Status, "refused", error.message);
  if (isFileError(error))
    return failure(c, 422, "unreadable", error.message, "the file may have been moved or deleted");
  warn(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return failure(c, 500, "internal", "internal error in turnlog", "see the terminal in which it runs");
}

/** A preview that cannot be made answers with the reason instead of failing. */
export function toRefused(error: unknown): Refused {
  if (!(error instanceof UserError)) throw error;
  return { refused: { code: error.code, message: error.message, hint: error.hint ?? null } };
}

export function failure(c: Context, status: Status, code: string, message: string, hint?: string): Response {
  const body: ApiFailure = { error: { code, message, hint: hint ?? null } };
  return c.json(body, status, { "cache-control": "no-store" });
}

/** For slow requests: typing on or closing a dialog aborts the request before it. */
export const skipIfAborted: MiddlewareHandler = async (c, next) => {
  await nextTurn();
  if (c.req.raw.signal.aborted) return failure(c, 503, "given-up", "the request was aborted");
  return next();
};

const PIECE_MS = 20;

/** Runs long work that can pause after each step, so that other requests are answered in between. */
export async function inPieces<Result>(steps: Generator<void, Result>): Promise<Result> {
  for (let began = performance.now(); ; ) {
    const { value, done } = steps.next();
    if (done) return value;
    if (performance.now() - began < PIECE_MS) continue;
    await nextTurn();
    began = performance.now();
  }
}
