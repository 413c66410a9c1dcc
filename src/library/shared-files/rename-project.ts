import { isObject, type JsonObject, toJsonText, tryParseJson } from "../../format/json.js";
import { type MovedFolder, mapPath } from "../../format/layout/map-path.js";
import { readSmallFile } from "../../format/layout/small-file.js";
import { rewriteStrings } from "../../format/writer/rewrite-strings.js";
import { clientStateFiles, readClientState } from "./last-sessions.js";
import { historyPath, readHistory, splitHistory } from "./prompt-history.js";
import { rewriteFile } from "./rewrite-file.js";

/** A file that all sessions share and that names a project's folder. */
export interface NamedProject {
  readonly path: string;
  /** Projects of a state file, lines of a history. */
  readonly count: number;
}

const MAX_SETTINGS_BYTES = 16 * 1024 * 1024;

/** What `renameProject` would change. */
export function findProjectNames(configRoot: string, folder: MovedFolder): NamedProject[] {
  const states = clientStateFiles(configRoot).flatMap((path) => {
    const bytes = readClientState(path);
    const count = bytes ? changedNames(bytes, folder) : 0;
    return count > 0 ? [{ path, count }] : [];
  });
  const lines = splitHistory(readHistory(configRoot)).filter((line) => renamedLine(line, folder) !== line).length;
  return [...states, ...(lines > 0 ? [{ path: historyPath(configRoot), count: lines }] : [])];
}

/** Gives the entries of a project their new name, in Claude Code's state and in the prompt history. May be called twice. */
export function renameProject(configRoot: string, folder: MovedFolder): void {
  for (const { path } of findProjectNames(configRoot, folder)) {
    const isHistory = path === historyPath(configRoot);
    rewriteFile(path, (bytes) => (isHistory ? renamedHistory(bytes, folder) : renamedState(bytes, folder)));
  }
}

/** Settings that name the folder in rules or lists; they are the user's own and stay as they are. */
export function settingsNaming(paths: readonly string[], { from }: MovedFolder): string[] {
  const text = JSON.stringify(from).slice(1, -1);
  return paths.filter((path) => {
    const bytes = readSmallFile(path, { maxBytes: MAX_SETTINGS_BYTES, followsLinks: true });
    return bytes?.includes(text) ?? false;
  });
}

function renamedHistory(bytes: Buffer, folder: MovedFolder): Buffer {
  return Buffer.concat(splitHistory(bytes).map((line) => renamedLine(line, folder)));
}

/** The line itself where it is of another project. */
function renamedLine(line: Buffer, folder: MovedFolder): Buffer {
  const json = tryParseJson(line.toString("utf8"));
  if (!isObject(json) || typeof json["project"] !== "string") return line;
  const project = mapPath(json["project"], [folder]);
  if (project === undefined) return line;
  const renamed = { ...json, project };
  const bytes = rewriteStrings(line, json, renamed) ?? Buffer.from(`${toJsonText(renamed)}\n`);
  return bytes;
}

function renamedState(bytes: Buffer, folder: MovedFolder): Buffer | undefined {
  const state = tryParseJson(bytes.toString("utf8"));
  return isObject(state) ? rewriteStrings(bytes, state, renameIn(state, folder)) : undefined;
}

function changedNames(bytes: Buffer, folder: MovedFolder): number {
  const state = tryParseJson(bytes.toString("utf8"));
  if (!isObject(state) || !isObject(state["projects"])) return 0;
  const after = renameIn(state, folder)["projects"];
  return Object.keys(state["projects"]).filter((name) => isObject(after) && !(name in after)).length;
}

/** An entry that has the new name already stays, and so does the old one then. */
function renameIn(state: JsonObject, folder: MovedFolder): JsonObject {
  const projects = state["projects"];
  if (!isObject(projects)) return state;
  const rename = (name: string) => {
    const renamed = mapPath(name, [folder]);
    return renamed === undefined || renamed in projects ? name : renamed;
  };
  const repositories = state["githubRepoPaths"];
  const after = {
    ...state,
    projects: Object.fromEntries(Object.entries(projects).map(([name, of]) => [rename(name), of])),
  };
  if (!isObject(repositories)) return after;
  const map = (path: unknown) => (typeof path === "string" ? (mapPath(path, [folder]) ?? path) : path);
  const mapped = Object.entries(repositories).map(([name, paths]) => [
    name,
    Array.isArray(paths) ? paths.map(map) : paths,
  ]);
  return { ...after, githubRepoPaths: Object.fromEntries(mapped) };
}
