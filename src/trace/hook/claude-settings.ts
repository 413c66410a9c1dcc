import { isObject, type JsonObject, stringAt } from "../../format/json.js";

/** The events of the client at which a session may have something new. */
const EVENTS = ["Stop", "SubagentStop", "SessionStart", "SessionEnd", "PreCompact"] as const;

/** By name, or by the path of its program. */
const TURNLOG_HOOK = /\bturnlog(\.cmd|\b.*[/\\]dist[/\\]bin\.js)?["']?\s+hook\b/;

/** Seconds that the client waits for the hook, which needs a fraction of one. */
const TIMEOUT_S = 10;

/** The client's settings with our hook at every event that matters; other hooks and settings stay as they are. */
export function addHooks(settings: JsonObject, command: string): JsonObject {
  const cleaned = removeHooks(settings, command);
  const hooks = isObject(cleaned["hooks"]) ? cleaned["hooks"] : {};
  const ours = { hooks: [{ type: "command", command, timeout: TIMEOUT_S }] };
  const added = EVENTS.map((event) => [event, [...listOf(hooks[event]), ours]]);
  return { ...cleaned, hooks: { ...hooks, ...Object.fromEntries(added) } };
}

/** Without our hooks, this command or that of another turnlog; an event that only had ours is gone with them. */
export function removeHooks(settings: JsonObject, command: string): JsonObject {
  return withoutHooks(settings, (other) => other === command || TURNLOG_HOOK.test(other));
}

/** Without the hooks of cc-langfuse, which would send every turn a second time. */
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
  // In its old place among the keys.
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

/** For settings that people share: each has turnlog in a place of their own. */
export const SHARED_HOOK_COMMAND = "turnlog hook";

/** Runs turnlog in the shell that the client uses: on Windows that is bash, which takes forward slashes. */
export function hookCommand(node: string, program: string, platform: NodeJS.Platform): string {
  const path = (text: string) => (platform === "win32" ? text.replaceAll("\\", "/") : text);
  return `${quote(path(node))} ${quote(path(program))} hook`;
}

function quote(text: string): string {
  return `"${text.replace(/["\\$`]/g, "\\$&")}"`;
}
