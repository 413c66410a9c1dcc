import { statSync } from "node:fs";
import { posix, win32 } from "node:path";
import { UserError } from "../../errors.js";
import { expandHome, fromWslPath, samePath, toWslPath } from "../../format/layout/path-forms.js";
import { findSessions } from "../../library/sources/find-sessions.js";
import { homeFolder } from "../../own-user.js";
import { updateConfig } from "../../store/config.js";
import { addedSources } from "../session-roots.js";
import { dataFolderOf, type Environment, readSettings } from "../settings.js";

/** A folder of sessions besides Claude Code's own: of another machine, WSL or a backup. */
export interface Source {
  readonly name: string;
  readonly path: string;
  readonly sessions: number | null; // null: the folder is not available
}

export async function listSources(environment: Environment): Promise<readonly Source[]> {
  return [...(await addedSources(environment))].map(([path, name]) => describeSource(name, path));
}

export async function addSource(name: string, folder: string, environment: Environment): Promise<Source> {
  const path = placeOf(folder, environment);
  refuseName(name);
  refuseFolder(path);
  const source = describeSource(name, path);
  await updateConfig(dataFolderOf(environment), (config) => {
    const known = config.sources ?? [];
    const same = known.find(
      (other) => isSameName(other.name, name) || samePath(other.path, path, environment.platform),
    );
    if (same) throw new UserError("exists", `source ${same.name} already exists: ${same.path}`, "remove it first");
    config.sources = [...known, { name, path }];
  });
  return source;
}

function describeSource(name: string, path: string): Source {
  return { name, path, sessions: isFolder(path) ? findSessions([path]).sessions.length : null };
}

/** The path on this system: WSL and Windows have different names for the same folders. */
function placeOf(folder: string, { platform, cwd }: Environment): string {
  const path = expandHome(folder, homeFolder());
  if (platform === "win32") return win32.resolve(cwd, fromWslPath(path) ?? path);
  return posix.resolve(cwd, toWslPath(path) ?? path);
}

function refuseName(name: string): void {
  if (name.trim() !== "" && !/\p{Cc}/u.test(name)) return;
  throw new UserError("usage", "a source needs a name", "for example `turnlog source add laptop ~/laptop/.claude`");
}

function refuseFolder(path: string): void {
  if (!isFolder(path))
    throw new UserError("not-found", `no such folder: ${path}`, "mount it first, or use another folder");
  if (!path.includes(",")) return;
  throw new UserError(
    "usage",
    `the path has a comma, which separates folders: ${path}`,
    "add a symbolic link to it instead",
  );
}

/** Returns the removed source; its files do not change. */
export async function removeSource(name: string, environment: Environment): Promise<{ name: string; path: string }> {
  const { sources = [] } = await readSettings(environment);
  const source = sources.find((other) => isSameName(other.name, name));
  if (!source) throw new UserError("not-found", `no source is called ${name}`, "`turnlog source list` lists them");
  await updateConfig(dataFolderOf(environment), (config) => {
    config.sources = config.sources?.filter((other) => !isSameName(other.name, name));
  });
  return source;
}

function isSameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
