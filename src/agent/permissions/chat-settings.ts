import { dirname, join } from "node:path";
import { isFileError, readIfPresent, UserError, unreadableFile } from "../../errors.js";
import { arrayAt, isObject, type JsonObject, stringAt, tryParseJson, valueAt } from "../../format/json.js";
import { parseRule, type Rule } from "./rule.js";

export const MODES = ["default", "acceptEdits", "plan", "bypassPermissions", "dontAsk"] as const;
export type PermissionMode = (typeof MODES)[number];

/** The permission settings of all scopes combined. */
export interface PermissionSettings {
  readonly allow: readonly Rule[];
  readonly ask: readonly Rule[];
  readonly deny: readonly Rule[];
  readonly additionalDirectories: readonly string[];
  readonly defaultMode: PermissionMode | undefined;
  readonly problems: readonly string[];
}

/** User settings count in full. A project may be untrusted: only its deny rules count. */
export function readPermissionSettings(configRoot: string, projectRoot: string): PermissionSettings {
  const read = readSettingsFiles(configRoot, projectRoot).map(toPermissions);
  return {
    allow: read.flatMap(({ allow }) => allow),
    ask: read.flatMap(({ ask }) => ask),
    deny: read.flatMap(({ deny }) => deny),
    additionalDirectories: read.flatMap(({ additionalDirectories }) => additionalDirectories),
    defaultMode: read.find(({ defaultMode }) => defaultMode !== undefined)?.defaultMode,
    problems: read.flatMap(({ problems }) => problems),
  };
}

export function toMode(name: string): PermissionMode {
  const mode = MODES.find((known) => known === name);
  if (mode) return mode;
  throw new UserError("usage", `unknown permission mode: ${name}`, `one of ${MODES.join(", ")}`);
}

function toPermissions(settings: SettingsFile): PermissionSettings {
  const problems: string[] = [];
  const rules = (name: "allow" | "ask" | "deny") => readRules(settings, name, problems);
  if (settings.scope === "project") {
    const ignored = describeIgnored(settings.json);
    const deny = rules("deny");
    if (ignored !== "")
      problems.push(`${settings.file}: ignored ${ignored}; of a project's settings only deny rules count`);
    return { allow: [], ask: [], deny, additionalDirectories: [], defaultMode: undefined, problems };
  }
  const mode = stringAt(settings.json, "permissions", "defaultMode");
  const directories = arrayAt(settings.json, "permissions", "additionalDirectories");
  return {
    allow: rules("allow"),
    ask: rules("ask"),
    deny: rules("deny"),
    additionalDirectories: directories.filter((path) => typeof path === "string"),
    defaultMode: MODES.find((known) => known === mode),
    problems,
  };
}

function readRules({ file, base, json }: SettingsFile, name: "allow" | "ask" | "deny", bad: string[]): readonly Rule[] {
  return arrayAt(json, "permissions", name).flatMap((entry) => {
    const rule = typeof entry === "string" ? parseRule(entry, base) : undefined;
    if (!rule) bad.push(`${file}: not a rule: ${JSON.stringify(entry)}`);
    return rule ?? [];
  });
}

/** Such as `2 allow rules, defaultMode`. */
function describeIgnored(json: JsonObject): string {
  const counted = (name: "allow" | "ask") => {
    const { length } = arrayAt(json, "permissions", name);
    return length === 0 ? [] : [`${length} ${name} ${length === 1 ? "rule" : "rules"}`];
  };
  const hasDirectories = arrayAt(json, "permissions", "additionalDirectories").length > 0;
  const hasMode = valueAt(json, "permissions", "defaultMode") !== undefined;
  return [
    ...counted("allow"),
    ...counted("ask"),
    ...(hasDirectories ? ["additionalDirectories"] : []),
    ...(hasMode ? ["defaultMode"] : []),
  ].join(", ");
}

/** One of Claude Code's settings files. */
interface SettingsFile {
  readonly file: string;
  readonly scope: "user" | "project";
  /** The folder that a path starting with `/` is relative to. */
  readonly base: string;
  readonly json: JsonObject;
}

/** User, project and local scope, those that exist, in this order. */
export function readSettingsFiles(configRoot: string, projectRoot: string): readonly SettingsFile[] {
  const user = join(configRoot, "settings.json");
  const project = ["settings.json", "settings.local.json"].map((name) => join(projectRoot, ".claude", name));
  return [
    ...readOne(user, "user", dirname(user)),
    ...project.flatMap((file) => (file === user ? [] : readOne(file, "project", projectRoot))),
  ];
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
