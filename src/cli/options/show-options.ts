import type { RootOptions } from "../../app/session-roots.js";
import { UserError } from "../../errors.js";
import { ALL_TURNS, type TurnRange } from "../../render/show-session.js";

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

export function parseTools(tools: string): "full" | "brief" | "none" {
  if (tools === "full" || tools === "brief" || tools === "none") return tools;
  throw new UserError("usage", `--tools must be full, brief or none, not "${tools}"`, "for example --tools full");
}
