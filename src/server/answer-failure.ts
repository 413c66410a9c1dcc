import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import { UserError, type UserErrorCode } from "../errors.js";
import { isFileError } from "../format/file-error.js";
import type { ApiFailure, Refused } from "./api/start.js";

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

/** One line and a hint, as on the command line; of a bug nothing but that it happened. */
export function answerFailure(error: unknown, c: Context, tell: (text: string) => void): Response {
  if (error instanceof UserError) return failure(c, STATUS[error.code], error.code, error.message, error.hint);
  if (error instanceof HTTPException) return failure(c, error.status as Status, "refused", error.message);
  if (isFileError(error)) return failure(c, 422, "unreadable", error.message, "check that the file is there");
  tell(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return failure(c, 500, "internal", "something went wrong in turnlog", "the terminal in which it runs tells more");
}

/** Of a preview that shows nothing, why. */
export function toRefused(error: unknown): Refused {
  if (!(error instanceof UserError)) throw error;
  return { refused: { message: error.message, hint: error.hint ?? null } };
}

export function failure(c: Context, status: Status, code: string, message: string, hint?: string): Response {
  const body: ApiFailure = { error: { code, message, hint: hint ?? null } };
  return c.json(body, status, { "cache-control": "no-store" });
}
