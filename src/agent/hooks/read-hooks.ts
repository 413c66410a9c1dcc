import { arrayAt, numberAt, stringAt, valueAt } from "../../format/json.js";
import type { SettingsFile } from "../permissions/chat-settings.js";

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

/** Whose hooks run; those of a project only where it is trusted. */
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

/** Hooks of the settings files whose scope counts. */
export function readHooks(files: readonly SettingsFile[], scope: HookScope, trustsProject: boolean): readonly Hook[] {
  const isRead = (file: SettingsFile) => file.scope === "user" || (scope === "all" && trustsProject);
  return scope === "off" ? [] : files.filter(isRead).flatMap(hooksOf);
}

export function hooksOf({ json }: Pick<SettingsFile, "json">): readonly Hook[] {
  return HOOK_EVENTS.flatMap((event) => arrayAt(json, "hooks", event).flatMap((group) => toHooks(event, group)));
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
