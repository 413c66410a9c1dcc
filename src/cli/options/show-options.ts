import type { RootOptions } from "../../app/session-roots.js";
import { UserError } from "../../errors.js";

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

export function parseTools(tools: string): "full" | "brief" | "none" {
  if (tools === "full" || tools === "brief" || tools === "none") return tools;
  throw new UserError("usage", `--tools must be full, brief or none, not "${tools}"`, "for example --tools full");
}
