import { arrayAt, numberAt, stringAt, valueAt } from "../../format/json.js";
import { readSettingsFiles } from "../permissions/chat-settings.js";

export const HOOK_EVENTS = [
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  "Stop",
  "SubagentStop",
  "PreCompact",
  "SessionEnd",
] as const;
export type HookEvent = (typeof HOOK_EVENTS)[number];

/** Whose hooks are run: a project's are commands that a stranger may have written. */
export type HookScope = "off" | "user" | "all";

/** A command that the client's settings want to be run when something happens. */
export interface Hook {
  readonly event: HookEvent;
  /** Of the tool, or of the reason; undefined: always. */
  readonly matcher: string | undefined;
  readonly command: string;
  readonly timeoutMs: number;
}

const DEFAULT_TIMEOUT_S = 60;

export function readHooks(configRoot: string, projectRoot: string, scope: HookScope): readonly Hook[] {
  const files = scope === "off" ? [] : readSettingsFiles(configRoot, projectRoot);
  return files
    .filter((file) => scope === "all" || file.scope === "user")
    .flatMap(({ json }) =>
      HOOK_EVENTS.flatMap((event) => arrayAt(json, "hooks", event).flatMap((group) => toHooks(event, group))),
    );
}

function toHooks(event: HookEvent, group: unknown): readonly Hook[] {
  const matcher = stringAt(group, "matcher") || undefined;
  return arrayAt(group, "hooks").flatMap((entry) => {
    const command = stringAt(entry, "command");
    if (valueAt(entry, "type") !== "command" || command === undefined) return [];
    const seconds = numberAt(entry, "timeout") ?? DEFAULT_TIMEOUT_S;
    return [{ event, matcher: matcher === "*" ? undefined : matcher, command, timeoutMs: seconds * 1000 }];
  });
}
