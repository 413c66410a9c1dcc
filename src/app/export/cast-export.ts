import { UserError } from "../../errors.js";
import { type RecordingOptions, sessionCast } from "../../render/cast/session-cast.js";
import { loadHighlighter } from "../../render/highlight.js";
import { ALL_TURNS, type ShownSession, type TurnRange } from "../../render/show-session.js";
import type { FormatOptions } from "./export-formats.js";

export async function castPieces(session: ShownSession, options: FormatOptions): Promise<Iterable<string>> {
  return sessionCast(session, await toRecordingOptions(session, options));
}

const USUAL_COLUMNS = 100;
const USUAL_ROWS = 30;
const USUAL_MAX_PAUSE = 2; // seconds

export async function toRecordingOptions(session: ShownSession, options: FormatOptions): Promise<RecordingOptions> {
  const { columns = USUAL_COLUMNS, rows = USUAL_ROWS, maxPause = USUAL_MAX_PAUSE } = options;
  const { tools = "brief", thinking, depth = Number.POSITIVE_INFINITY, speed, branch } = options;
  if (branch === "all") {
    throw new UserError(
      "usage",
      "a recording shows one branch only",
      "name a branch by the id of its last message instead of `all`",
    );
  }
  return {
    columns,
    rows,
    maxPause,
    tools,
    thinking,
    depth,
    highlight: await loadHighlighter(),
    speed: speed ?? usualSpeed(session, options.turns),
  };
}

/** The longest a recording should take by default. */
const USUAL_SECONDS = 180;
/** Roughly, with default pauses. */
const SECONDS_OF = { turn: 8, message: 2.5, toolCall: 2.5 };

/** Real time for a short session, else fast enough to end after about three minutes. */
function usualSpeed({ totals }: ShownSession, { from, to }: TurnRange = ALL_TURNS): number {
  const share = totals.turns === 0 ? 1 : Math.max(0, Math.min(to, totals.turns) - from + 1) / totals.turns;
  const seconds =
    totals.turns * SECONDS_OF.turn + totals.messages * SECONDS_OF.message + totals.toolCalls * SECONDS_OF.toolCall;
  return Math.max(1, (seconds * share) / USUAL_SECONDS);
}
