import type { Workspace } from "../workspace.js";
import type { PermissionMode } from "./chat-settings.js";
import type { Rule } from "./rule.js";

export interface Rules {
  readonly allow: readonly Rule[];
  readonly ask: readonly Rule[];
  readonly deny: readonly Rule[];
}

export interface Judgement {
  readonly decision: "allow" | "ask" | "deny";
  /** Shown to the user and the model. */
  readonly reason: string;
  readonly because: "mode" | "rule" | "other";
  /** Rules that would allow it next time. */
  readonly suggestions: readonly string[];
}

export interface Situation {
  readonly tool: string;
  readonly rules: Rules;
  readonly mode: PermissionMode;
  readonly workspace: Workspace;
}
