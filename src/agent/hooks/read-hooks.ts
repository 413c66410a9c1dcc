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

/** Whose hooks run. A project's hooks are commands of a possibly untrusted author. */
export type HookScope = "off" | "user" | "all";

/** A command that Claude Code's settings attach to an event. */
export interface Hook {
  readonly event: HookEvent;
  /** Compared with the tool or the reason; undefined: matches always. */
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
