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

/** `3`, `3-7`, `3-`, `-7`; all turns by default. */
export function parseTurnRange(text: string | undefined): TurnRange {
  if (text === undefined) return ALL_TURNS;
  const match = /^(\d*)(-?)(\d*)$/.exec(text);
  const [, first = "", dash = "", last = ""] = match ?? [];
  const from = first === "" ? 1 : Number(first);
  const to = last !== "" ? Number(last) : dash === "" ? from : Number.POSITIVE_INFINITY;
  if (!match || (first === "" && last === "") || from < 1 || to < from) {
    throw new UserError(
      "usage",
      `--turns must be a range of turns, not "${text}"`,
      "for example --turns 3, 3-7, 3- or -7",
    );
  }
  return { from, to };
}
