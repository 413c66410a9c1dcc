import { isObject, stringAt } from "../../format/json.js";
import { isOwnHook } from "../observe/own-hook.js";
import {
  insertChild,
  type JsonChild,
  type JsonNode,
  memberOf,
  parseJsonText,
  removeChild,
  replaceNode,
  toValue,
} from "./json-text.js";
import type { BUDGET_EVENTS } from "./spool.js";

/** The Claude Code hook events after which a session may have new turns. */
const TRACE_EVENTS = ["Stop", "SubagentStop", "SessionStart", "SessionEnd", "PreCompact"] as const;
type HookEvents = typeof TRACE_EVENTS | typeof BUDGET_EVENTS;

/** Seconds that Claude Code waits for the hook, which takes a fraction of one; with `--sync` it waits for the network. */
const TIMEOUT_S = 10;
const SYNC_TIMEOUT_S = 60;

/** Claude Code's settings as text, with turnlog's hook at each of the events. Everything else stays byte by byte. */
export function addHooks(settings: string, command: string, events: HookEvents = TRACE_EVENTS): string {
  const hook = { type: "command", command, timeout: command.endsWith(SYNC) ? SYNC_TIMEOUT_S : TIMEOUT_S };
  const isWanted = (found: unknown) => JSON.stringify(found) === JSON.stringify(hook);
  const isOld = (found: unknown, text: string) => isTurnlog(text, command) && !isWanted(found);
  return [...events].reduce((text, event) => addAt(text, event, hook), withoutHooks(settings, isOld, events));
}

export const SYNC = " --sync";

function addAt(text: string, event: string, hook: object): string {
  const root = rootOf(text);
  const matcher = { hooks: [hook] };
  const hooks = memberOf(root, "hooks");
  if (hooks?.kind !== "object") return insertChild(text, root, "hooks", { [event]: [matcher] });
  const list = memberOf(hooks, event);
  if (list?.kind !== "list") return insertChild(text, hooks, event, [matcher]);
  const isHook = ({ node }: JsonChild) => JSON.stringify(toValue(node)) === JSON.stringify(hook);
  const isThere = hooksIn(list).some(({ child, matcher }) => child !== matcher && isHook(child));
  return isThere ? text : insertChild(text, list, undefined, matcher);
}

/** The settings without turnlog's hooks at the events, of this or another installation; events that become empty are removed. */
export function removeHooks(settings: string, command: string, events: readonly string[] = TRACE_EVENTS): string {
  return withoutHooks(settings, (_, text) => isTurnlog(text, command), events);
}

export function hasHooks(settings: string, command: string, events: readonly string[] = TRACE_EVENTS): boolean {
  return removeHooks(settings, command, events) !== settings;
}

function isTurnlog(text: string, command: string): boolean {
  return [command, `${command}${SYNC}`].includes(text) || isOwnHook(text);
}

/** Another program that sends turns to a backend. */
export interface OtherTracer {
  readonly name: string;
  /** Of hooks in the settings. */
  readonly command: RegExp;
  /** Of plugins, as `enabledPlugins` names them. */
  readonly plugin: RegExp;
}

/** Langfuse and LangSmith have other plugins, too: skills (`langfuse@claude-plugins-official`, say) and a proxy, which send no turns. */
export const OTHER_TRACERS: readonly OtherTracer[] = [
  { name: "cc-langfuse", command: /\bcc-langfuse\b/, plugin: /^cc-langfuse\b/ },
  {
    name: "langfuse",
    command: /langfuse[_-]hook|langfuse[\w-]*plugin/,
    plugin: /^langfuse-(observability|tracing)@|@langfuse-observability$/,
  },
  { name: "langsmith", command: /langsmith/i, plugin: /^langsmith-tracing@/ },
];

/** Whether these settings switch on turnlog's plugin, whose hook stays silent where settings have one. */
export function hasPlugin(settings: string): boolean {
  const enabled = memberOf(rootOf(settings), "enabledPlugins");
  return enabled?.children.some(({ key = "", node }) => /^turnlog@/.test(key) && node.value !== false) ?? false;
}

/** The tracers that these settings run. */
export function findOtherTracers(settings: string): OtherTracer[] {
  return OTHER_TRACERS.filter((tracer) => removeTracer(settings, tracer) !== settings);
}

/** The settings without the hooks of a tracer, and with its plugin disabled. */
export function removeTracer(settings: string, { command, plugin }: OtherTracer): string {
  const text = withoutHooks(settings, (_, found) => command.test(found) && !isOwnHook(found));
  const enabled = memberOf(rootOf(text), "enabledPlugins");
  const isOn = ({ value, kind }: JsonNode) => value === true || kind === "list"; // of versions
  const found = enabled?.children.find(({ key = "", node }) => plugin.test(key) && isOn(node));
  return found ? removeTracer(replaceNode(text, found.node, false), { name: "", command, plugin }) : text;
}

/** Empty settings, where there are none. */
export const NO_SETTINGS = "{}\n";

export function areSettings(text: string): boolean {
  return parseJsonText(text)?.kind === "object";
}

function rootOf(text: string): JsonNode {
  const root = parseJsonText(text);
  if (root?.kind !== "object") throw new TypeError("the settings are no JSON object");
  return root;
}

interface HookPlace {
  readonly matcher: JsonChild;
  readonly list: JsonNode; // of its hooks
  readonly child: JsonChild;
}

/** Also hooks that stand where a matcher should, as the README of cc-langfuse writes its own. */
function hooksIn(event: JsonNode): HookPlace[] {
  return event.children.flatMap((matcher) => {
    const list = memberOf(matcher.node, "hooks");
    if (list?.kind === "list") return list.children.map((child) => ({ matcher, list, child }));
    return memberOf(matcher.node, "command") ? [{ matcher, list: event, child: matcher }] : [];
  });
}

type IsUnwanted = (hook: unknown, command: string) => boolean;

/** One at a time, each with what it leaves empty: places move when the text changes. Of all events, or some. */
function withoutHooks(text: string, isUnwanted: IsUnwanted, only?: readonly string[]): string {
  const root = rootOf(text);
  const hooks = memberOf(root, "hooks");
  const events = hooks?.kind === "object" ? hooks.children : [];
  const isMeant = ({ key = "", node }: JsonChild) => node.kind === "list" && (only?.includes(key) ?? true);
  for (const event of events.filter(isMeant)) {
    const place = hooksIn(event.node).find(({ child }) => isUnwantedNode(child.node, isUnwanted));
    if (place) return withoutHooks(withoutHook(text, { root, event, ...place }), isUnwanted, only);
  }
  return text;
}

function isUnwantedNode(node: JsonNode, isUnwanted: IsUnwanted): boolean {
  const hook = toValue(node);
  return isObject(hook) && isUnwanted(hook, stringAt(hook, "command") ?? "");
}

function withoutHook(
  text: string,
  { root, event, matcher, list, child }: HookPlace & { readonly root: JsonNode; readonly event: JsonChild },
): string {
  if (list.children.length > 1) return removeChild(text, list, child);
  if (event.node.children.length > 1) return removeChild(text, event.node, matcher);
  const hooks = root.children.findLast(({ key }) => key === "hooks");
  if (!hooks) return text;
  return hooks.node.children.length > 1 ? removeChild(text, hooks.node, event) : removeChild(text, root, hooks);
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
