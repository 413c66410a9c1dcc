import { dirname, join } from "node:path";
import { isFileError, readIfPresent, UserError, unreadableFile } from "../../errors.js";
import { arrayAt, isObject, type JsonObject, stringAt, tryParseJson, valueAt } from "../../format/json.js";
import { isForeign } from "../project-file.js";
import { parseRule, type Rule } from "./rule.js";

export const MODES = ["default", "acceptEdits", "plan", "bypassPermissions", "dontAsk"] as const;
export type PermissionMode = (typeof MODES)[number];

/** What the settings of all scopes say together. */
export interface ChatSettings {
  readonly allow: readonly Rule[];
  readonly ask: readonly Rule[];
  readonly deny: readonly Rule[];
  readonly additionalDirectories: readonly string[];
  readonly defaultMode: PermissionMode | undefined;
  /** Variables for commands and hooks; turnlog itself takes none of them. */
  readonly env: Readonly<Record<string, string>>;
  readonly problems: readonly string[];
}

/** The settings of the user count in full. Of a project that is not trusted only deny and ask rules do: they take nothing but freedom. */
export function combineSettings(files: readonly SettingsFile[], trustsProject: boolean): ChatSettings {
  const read = files.map((file) => toSettings(file, file.scope === "user" || trustsProject));
  return {
    allow: read.flatMap(({ allow }) => allow),
    ask: read.flatMap(({ ask }) => ask),
    deny: read.flatMap(({ deny }) => deny),
    additionalDirectories: read.flatMap(({ additionalDirectories }) => additionalDirectories),
    defaultMode: read.findLast(({ defaultMode }) => defaultMode !== undefined)?.defaultMode,
    env: Object.assign({}, ...read.map(({ env }) => env)),
    problems: read.flatMap(({ problems }) => problems),
  };
}

export function toMode(name: string): PermissionMode {
  const mode = MODES.find((known) => known === name);
  if (mode) return mode;
  throw new UserError("usage", `unknown permission mode: ${name}`, `one of ${MODES.join(", ")}`);
}

function toSettings(settings: SettingsFile, isTrusted: boolean): ChatSettings {
  const problems: string[] = [];
  const rules = (name: "allow" | "ask" | "deny") => readRules(settings, name, problems);
  const restrictions = { ask: rules("ask"), deny: rules("deny") };
  if (!isTrusted) {
    return { ...restrictions, allow: [], additionalDirectories: [], defaultMode: undefined, env: {}, problems };
  }
  const allow = rules("allow");
  const defaultMode = modeOf(settings, problems);
  return {
    ...restrictions,
    allow,
    defaultMode,
    additionalDirectories: directoriesOf(settings.json),
    env: environmentOf(settings.json),
    problems,
  };
}

/** Nobody but the user can switch all questions off. */
function modeOf({ file, scope, json }: SettingsFile, problems: string[]): PermissionMode | undefined {
  const mode = scope === "user" ? knownModeOf(json) : projectModeOf(json);
  if (mode !== undefined || knownModeOf(json) === undefined) return mode;
  problems.push(`${file}: ignored defaultMode bypassPermissions, which a project cannot set`);
  return undefined;
}

/** The mode that a project may set. */
export function projectModeOf(json: JsonObject): PermissionMode | undefined {
  const mode = knownModeOf(json);
  return mode === "bypassPermissions" ? undefined : mode;
}

function knownModeOf(json: JsonObject): PermissionMode | undefined {
  return MODES.find((known) => known === stringAt(json, "permissions", "defaultMode"));
}

export function directoriesOf(json: JsonObject): readonly string[] {
  return arrayAt(json, "permissions", "additionalDirectories").filter((path) => typeof path === "string");
}

export function environmentOf(json: JsonObject): Readonly<Record<string, string>> {
  const env = valueAt(json, "env");
  const pairs = isObject(env) ? Object.entries(env) : [];
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => typeof pair[1] === "string"));
}

function readRules({ file, base, json }: SettingsFile, name: "allow" | "ask" | "deny", bad: string[]): readonly Rule[] {
  return arrayAt(json, "permissions", name).flatMap((entry) => {
    const rule = typeof entry === "string" ? parseRule(entry, base) : undefined;
    if (!rule) bad.push(`${file}: not a rule: ${JSON.stringify(entry)}`);
    return rule ?? [];
  });
}

/** One of Claude Code's settings files. */
export interface SettingsFile {
  readonly file: string;
  readonly scope: "user" | "project";
  /** The folder that a path starting with `/` is relative to. */
  readonly base: string;
  readonly json: JsonObject;
}

/** User, project and local scope, those that exist, in this order. A project's links out of it are not read; `onLeftOut` gets them. */
export function readSettingsFiles(
  configRoot: string,
  projectRoot: string,
  onLeftOut: (path: string) => void = () => undefined,
): readonly SettingsFile[] {
  const user = join(configRoot, "settings.json");
  const project = ["settings.json", "settings.local.json"].map((name) => join(projectRoot, ".claude", name));
  const readOwn = (file: string) => {
    if (!isForeign(file, projectRoot)) return readOne(file, "project", projectRoot);
    onLeftOut(file);
    return [];
  };
  return [...readOne(user, "user", dirname(user)), ...project.filter((file) => file !== user).flatMap(readOwn)];
}

function readOne(file: string, scope: SettingsFile["scope"], base: string): readonly SettingsFile[] {
  const text = readSettings(file);
  if (text === undefined) return [];
  const json = tryParseJson(text.replace(/^\uFEFF/, ""));
  // An unreadable file may contain deny rules, so it is an error.
  if (!isObject(json)) throw new UserError("config", `${file} is not JSON`, "fix or remove it");
  return [{ file, scope, base, json }];
}

function readSettings(path: string): string | undefined {
  try {
    return readIfPresent(path);
  } catch (error) {
    throw isFileError(error) ? unreadableFile(path, error) : error;
  }
}
