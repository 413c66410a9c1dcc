import type { Io } from "../io.js";

/** `FORCE_COLOR` if it is set, as in Node itself; else colours on a terminal without `NO_COLOR`. */
export function isColoured({ isTerminal, env }: Io): boolean {
  const forced = env["FORCE_COLOR"];
  if (forced) return forced !== "0" && forced !== "false";
  return isTerminal && !env["NO_COLOR"] && env["TERM"] !== "dumb";
}
