import { UserError } from "../errors.js";
import { loadHighlighter } from "../render/highlight.js";
import { ALL_TURNS, type TurnRange } from "../render/show-session.js";
import type { PaintOptions } from "../render/terminal/paint-options.js";
import { createStyle } from "../render/terminal/style.js";
import type { Io } from "./io.js";
import type { RootOptions } from "./session-roots.js";

export interface ShowOptions extends RootOptions {
  readonly turns?: string;
  readonly branch?: string;
  readonly thinking?: boolean;
  readonly tools: string;
  readonly events?: boolean;
  readonly errors?: boolean;
  readonly inventory?: boolean;
  readonly reveal?: boolean;
  readonly json?: boolean;
  readonly pager?: boolean;
}

/** `3`, `3-7`, `3-`, `-7`; everything when nothing is asked for. */
export function parseTurnRange(text: string | undefined): TurnRange {
  if (text === undefined) return ALL_TURNS;
  const match = /^(\d*)(-?)(\d*)$/.exec(text);
  const [, first = "", dash = "", last = ""] = match ?? [];
  const from = first === "" ? 1 : Number(first);
  const to = last !== "" ? Number(last) : dash === "" ? from : Number.POSITIVE_INFINITY;
  if (!match || (first === "" && last === "") || from < 1 || to < from) {
    throw new UserError(
      "usage",
      `--turns wants a range of turns, not "${text}"`,
      "for example --turns 3, 3-7, 3- or -7",
    );
  }
  return { from, to };
}

/** `FORCE_COLOR` decides where it is set, as in Node itself; else `NO_COLOR` and whether anybody looks at a terminal. */
export function isColoured({ isTerminal, env }: Io): boolean {
  const forced = env["FORCE_COLOR"];
  if (forced) return forced !== "0" && forced !== "false";
  return isTerminal && !env["NO_COLOR"] && env["TERM"] !== "dumb";
}

const NARROWEST = 20;
const FORCED_COLUMNS = 80;

/** A pipe gets plain text, unless colours are forced: then a pager shows it. */
export function toPaintOptions({ tools, thinking }: Pick<ShowOptions, "tools" | "thinking">, io: Io): PaintOptions {
  const style = createStyle(isColoured(io));
  const isPlain = !io.isTerminal && !style.isColoured;
  const screen = io.isTerminal ? io.columns : Number(io.env["COLUMNS"]) || FORCED_COLUMNS;
  const columns = isPlain ? Number.POSITIVE_INFINITY : Math.max(screen, NARROWEST);
  return {
    style,
    columns,
    isPlain,
    thinking: thinking ?? false,
    tools: parseTools(tools),
    highlight: null,
    folder: null,
  };
}

export function parseTools(tools: string): PaintOptions["tools"] {
  if (tools === "full" || tools === "brief" || tools === "none") return tools;
  throw new UserError("usage", `--tools wants full, brief or none, not "${tools}"`, "for example --tools full");
}

/** Code in colours, where there are any. */
export async function withHighlighter(paint: PaintOptions): Promise<PaintOptions> {
  return paint.style.isColoured ? { ...paint, highlight: await loadHighlighter() } : paint;
}
