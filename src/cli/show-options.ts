import { UserError } from "../errors.js";
import type { PaintOptions } from "../render/paint-messages.js";
import { createStyle } from "../render/style.js";
import type { Io } from "./io.js";
import type { RootOptions } from "./roots.js";

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
}

export interface TurnRange {
  readonly from: number;
  readonly to: number;
}

/** `3`, `3-7`, `3-`, `-7`; everything when nothing is asked for. */
export function parseTurnRange(text: string | undefined): TurnRange {
  if (text === undefined) return { from: 1, to: Number.POSITIVE_INFINITY };
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

export function isColoured({ isTerminal, env }: Io): boolean {
  return isTerminal && !env["NO_COLOR"];
}

export function toPaintOptions({ tools, thinking }: ShowOptions, io: Io): PaintOptions {
  return {
    style: createStyle(isColoured(io)),
    columns: io.columns,
    thinking: thinking ?? false,
    tools: parseTools(tools),
  };
}

export function parseTools(tools: string): PaintOptions["tools"] {
  if (tools === "full" || tools === "brief" || tools === "none") return tools;
  throw new UserError("usage", `--tools wants full, brief or none, not "${tools}"`, "for example --tools full");
}
