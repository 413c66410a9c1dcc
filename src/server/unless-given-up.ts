import { setImmediate as nextTurn } from "node:timers/promises";
import type { MiddlewareHandler } from "hono";
import { failure } from "./answer-failure.js";

/** Before what takes long: who types on, or closes a dialog, has given up the question before. */
export const unlessGivenUp: MiddlewareHandler = async (c, next) => {
  await nextTurn();
  if (c.req.raw.signal.aborted) return failure(c, 503, "given-up", "nobody waits for this answer");
  return next();
};
