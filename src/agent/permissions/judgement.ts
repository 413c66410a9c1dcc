import type { Workspace } from "../workspace.js";
import type { PermissionMode } from "./chat-settings.js";
import type { Rule } from "./rule.js";

export interface Rules {
  readonly allow: readonly Rule[];
  readonly ask: readonly Rule[];
  readonly deny: readonly Rule[];
}

/** One command or redirection of a command line. */
export interface CommandPart {
  /** As it was written. */
  readonly text: string;
  readonly decision: "allow" | "ask" | "deny";
  readonly reason: string;
}

export interface Judgement {
  readonly decision: "allow" | "ask" | "deny";
  /** Shown to the user and the model. */
  readonly reason: string;
  readonly because: "mode" | "rule" | "other";
  /** Rules that would allow it next time. */
  readonly suggestions: readonly string[];
  /** Of a command line whose parts were judged one by one. */
  readonly parts?: readonly CommandPart[];
  /** The command line to run in place of the given one: printed from what was judged. */
  readonly runs?: string;
  /** It is allowed only with git on a shadow of the repository; undefined: no git command counted as reading. */
  readonly git?: "shadow" | undefined;
}

export interface Situation {
  readonly tool: string;
  readonly rules: Rules;
  readonly mode: PermissionMode;
  readonly workspace: Workspace;
}
