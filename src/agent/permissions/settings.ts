import { UserError } from "../../errors.js";
import { arrayAt, stringAt } from "../../format/json.js";
import { parseRule, type Rule } from "./rule.js";
import { readSettingsFiles, type SettingsFile } from "./settings-files.js";

export const MODES = ["default", "acceptEdits", "plan", "bypassPermissions", "dontAsk"] as const;
export type PermissionMode = (typeof MODES)[number];

/** What the client's settings files say about permissions, all scopes together. */
export interface PermissionSettings {
  readonly allow: readonly Rule[];
  readonly ask: readonly Rule[];
  readonly deny: readonly Rule[];
  readonly additionalDirectories: readonly string[];
  readonly defaultMode: PermissionMode | undefined;
  readonly problems: readonly string[];
}

/** User, project and local scope; a deny of any scope counts, the mode of the nearest. */
export function readPermissionSettings(configRoot: string, projectRoot: string): PermissionSettings {
  const read = readSettingsFiles(configRoot, projectRoot).map(toPermissions);
  return {
    allow: read.flatMap(({ allow }) => allow),
    ask: read.flatMap(({ ask }) => ask),
    deny: read.flatMap(({ deny }) => deny),
    additionalDirectories: read.flatMap(({ additionalDirectories }) => additionalDirectories),
    defaultMode: read.findLast(({ defaultMode }) => defaultMode !== undefined)?.defaultMode,
    problems: read.flatMap(({ problems }) => problems),
  };
}

export function toMode(name: string): PermissionMode {
  const mode = MODES.find((known) => known === name);
  if (mode) return mode;
  throw new UserError("usage", `unknown permission mode: ${name}`, `one of ${MODES.join(", ")}`);
}

function toPermissions({ file, scope, base, json }: SettingsFile): PermissionSettings {
  const bad: string[] = [];
  const rules = (name: "allow" | "ask" | "deny") =>
    arrayAt(json, "permissions", name).flatMap((entry) => {
      const rule = typeof entry === "string" ? parseRule(entry, base) : undefined;
      if (!rule) bad.push(`${file}: not a rule: ${JSON.stringify(entry)}`);
      return rule ?? [];
    });
  const mode = stringAt(json, "permissions", "defaultMode");
  // A project may come from a stranger.
  const isForeign = scope === "project" && mode === "bypassPermissions";
  if (isForeign) bad.push(`${file} does not decide about ${mode}; --permission-mode ${mode} does`);
  return {
    allow: rules("allow"),
    ask: rules("ask"),
    deny: rules("deny"),
    additionalDirectories: arrayAt(json, "permissions", "additionalDirectories").filter(
      (path) => typeof path === "string",
    ),
    defaultMode: isForeign ? undefined : MODES.find((known) => known === mode),
    problems: bad,
  };
}
