import { isObject, type JsonObject, stringAt } from "../../format/json.js";

/** The Claude Code hook events after which a session may have new turns. */
const EVENTS = ["Stop", "SubagentStop", "SessionStart", "SessionEnd", "PreCompact"] as const;

/** Matches turnlog by name or by the path of its program. */
const TURNLOG_HOOK = /\bturnlog(\.cmd|\b.*[/\\]dist[/\\]bin\.js)?["']?\s+hook\b/;

/** Seconds that Claude Code waits for the hook, which takes a fraction of one. */
const TIMEOUT_S = 10;

/** Claude Code's settings with turnlog's hook at each event; other hooks and settings do not change. */
export function addHooks(settings: JsonObject, command: string): JsonObject {
  const cleaned = removeHooks(settings, command);
  const hooks = isObject(cleaned["hooks"]) ? cleaned["hooks"] : {};
  const ours = { hooks: [{ type: "command", command, timeout: TIMEOUT_S }] };
  const added = EVENTS.map((event) => [event, [...listOf(hooks[event]), ours]]);
  return { ...cleaned, hooks: { ...hooks, ...Object.fromEntries(added) } };
}

/** The settings without turnlog's hooks, of this or another installation; events that become empty are removed. */
export function removeHooks(settings: JsonObject, command: string): JsonObject {
  return withoutHooks(settings, (other) => other === command || TURNLOG_HOOK.test(other));
}

/** The settings without the hooks of cc-langfuse, which would send every turn a second time. */
export function removeOtherTracer(settings: JsonObject): JsonObject {
  return withoutHooks(settings, isOtherTracer);
}

export function hasOtherTracer(settings: JsonObject): boolean {
  return JSON.stringify(removeOtherTracer(settings)) !== JSON.stringify(settings);
}

function isOtherTracer(command: string): boolean {
  return /cc-langfuse|langfuse[_-]hook/.test(command);
}

function withoutHooks(settings: JsonObject, isUnwanted: (command: string) => boolean): JsonObject {
  const { hooks } = settings;
  if (!isObject(hooks)) return settings;
  const kept = Object.entries(hooks).flatMap(([event, matchers]) => {
    if (!Array.isArray(matchers)) return [[event, matchers] as const];
    const left = matchers.flatMap((matcher: unknown) => keepOthers(matcher, isUnwanted));
    return left.length === 0 && matchers.length > 0 ? [] : [[event, left] as const];
  });
  const { hooks: _all, ...rest } = settings;
  if (kept.length === 0 && Object.keys(hooks).length > 0) return rest;
  // Keeps the order of the keys.
  return Object.fromEntries(
    Object.entries(settings).map(([key, value]) => [key, key === "hooks" ? Object.fromEntries(kept) : value]),
  );
}

function keepOthers(matcher: unknown, isUnwanted: (command: string) => boolean): unknown[] {
  if (!isObject(matcher) || !Array.isArray(matcher["hooks"])) return [matcher];
  const hooks = matcher["hooks"].filter((hook: unknown) => !isUnwanted(stringAt(hook, "command") ?? ""));
  if (hooks.length === matcher["hooks"].length) return [matcher];
  return hooks.length === 0 ? [] : [{ ...matcher, hooks }];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** For shared settings: turnlog is installed in a different place on each machine. */
export const SHARED_HOOK_COMMAND = "turnlog hook";

/** Runs turnlog in the shell that Claude Code uses; on Windows that is bash, which needs forward slashes. */
export function hookCommand(node: string, program: string, platform: NodeJS.Platform): string {
  const path = (text: string) => (platform === "win32" ? text.replaceAll("\\", "/") : text);
  return `${doubleQuoted(path(node))} ${doubleQuoted(path(program))} hook`;
}

/** Double quotes, because cmd.exe does not know single ones. */
function doubleQuoted(text: string): string {
  return `"${text.replace(/["\\$`]/g, "\\$&")}"`;
}
