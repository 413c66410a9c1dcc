import { UserError } from "../errors.js";
import type { LoadedSession } from "../library/load/load-session.js";
import { formatCount } from "../render/format-values.js";
import { ALL_TURNS, type TurnRange } from "../render/show-session.js";

export interface ChosenView {
  readonly session: LoadedSession;
  readonly range: TurnRange;
  /** The rewound branches to show besides the active one, by their last record. */
  readonly deadLeaves: readonly string[];
}

/** The branch and the turns to show; `branch` is the id of its last record, or `all`. */
export function chooseView(
  loaded: LoadedSession,
  { turns: range = ALL_TURNS, branch }: { readonly turns?: TurnRange; readonly branch?: string },
): ChosenView {
  const isAll = branch === "all";
  const session = branch === undefined || isAll ? loaded : loaded.branch(branch);
  const count = session.outline.turns.length;
  if (range !== ALL_TURNS && range.from > count) {
    throw new UserError("not-found", `there is no turn ${range.from}`, `the session has ${formatCount(count, "turn")}`);
  }
  return { session, range, deadLeaves: isAll ? loaded.outline.deadBranches.flatMap(({ leaf }) => leaf ?? []) : [] };
}
