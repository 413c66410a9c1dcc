import type { ForkPoint } from "../../edit/plans/clone-and-fork.js";
import { UserError } from "../../errors.js";

/** The options of `fork` as text. */
export interface ForkFlags {
  readonly at?: string | undefined;
  readonly from?: string | undefined;
  readonly branch?: string | undefined;
}

/** Up to six digits are a turn; a uuid prefix is longer or has letters. */
const TURN = /^\d{1,6}$/;

export function toForkPoint({ at, from, branch }: ForkFlags): ForkPoint {
  if (branch !== undefined) return { branch };
  if (at !== undefined) return { at: TURN.test(at) ? Number(at) : at };
  if (from !== undefined && TURN.test(from)) return { from: Number(from) };
  const message = from === undefined ? "no fork point given" : `not a turn: ${from}`;
  throw new UserError("usage", message, "for example --at 7, --from 12 or --branch 5f0c");
}
