import { UserError } from "../errors.js";
import type { LoadedSession } from "../library/load/load-session.js";
import { formatCount } from "../render/format-values.js";
import type { TurnRange } from "../render/show-session.js";
import { parseTurnRange } from "./show-options.js";

export interface ChosenView {
  readonly session: LoadedSession;
  readonly range: TurnRange;
  /** The rewound branches that are asked for beside the active one, by their last record. */
  readonly deadLeaves: readonly string[];
}

/** The branch and the turns that `--branch` and `--turns` ask for. */
export function chooseView(
  loaded: LoadedSession,
  { turns, branch }: { readonly turns?: string; readonly branch?: string },
): ChosenView {
  const range = parseTurnRange(turns);
  const isAll = branch === "all";
  const session = branch === undefined || isAll ? loaded : loaded.branch(branch);
  const count = session.outline.turns.length;
  if (turns !== undefined && range.from > count) {
    throw new UserError("not-found", `there is no turn ${range.from}`, `the session has ${formatCount(count, "turn")}`);
  }
  return { session, range, deadLeaves: isAll ? loaded.outline.deadBranches.flatMap(({ leaf }) => leaf ?? []) : [] };
}
