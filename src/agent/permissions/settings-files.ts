import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { UserError } from "../../errors.js";
import { isFileError, unreadableFile } from "../../format/file-error.js";
import { isObject, type JsonObject, tryParseJson } from "../../format/json.js";

/** One of the client's settings files. */
export interface SettingsFile {
  readonly file: string;
  readonly scope: "user" | "project";
  /** The folder that a path beginning with `/` is relative to. */
  readonly base: string;
  readonly json: JsonObject;
}

/** User, project and local scope, as far as they exist; the nearest last. */
export function readSettingsFiles(configRoot: string, projectRoot: string): readonly SettingsFile[] {
  const user = join(configRoot, "settings.json");
  const project = ["settings.json", "settings.local.json"].map((name) => join(projectRoot, ".claude", name));
  return [
    ...readOne(user, "user", dirname(user)),
    ...project.flatMap((file) => (file === user ? [] : readOne(file, "project", projectRoot))),
  ];
}

function readOne(file: string, scope: SettingsFile["scope"], base: string): readonly SettingsFile[] {
  const text = readIfPresent(file);
  if (text === undefined) return [];
  const json = tryParseJson(text.replace(/^\uFEFF/, ""));
  // A file that cannot be read may have forbidden something, so that going on would be a guess.
  if (!isObject(json)) throw new UserError("config", `${file} is not JSON`, "correct it, or move it away");
  return [{ file, scope, base, json }];
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (!isFileError(error)) throw error;
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw unreadableFile(path, error);
  }
}
