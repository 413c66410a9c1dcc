import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../errors.js";
import { configDirs } from "../format/layout/config-dirs.js";
import { isAmong } from "../library/load/session-summary.js";
import { machineRoots } from "../library/machines/machine-sources.js";
import { packageFolder } from "../package-folder.js";
import { dataFolderOf, type Environment, readSettings } from "./settings.js";

/** The options of every command that select where to look for sessions. */
export interface RootOptions {
  readonly configDir?: string;
  readonly demo?: boolean;
  /** A filter; here only checked for a wrong name. */
  readonly source?: string;
}

/**
 * The folders in which sessions are looked for: those named, else those of `CLAUDE_CONFIG_DIR`, of config.json, or the
 * client's usual ones, and with them the further sources of config.json.
 */
export async function sessionRoots(
  environment: Environment,
  { configDir, demo, source }: RootOptions,
): Promise<readonly string[]> {
  if (source !== undefined) await refuseUnknownSource(source, environment);
  if (demo) return [demoFolder()];
  if (configDir?.trim()) return existing(findConfigDirs(environment, [configDir]));
  const own = await ownRoots(environment, {});
  const roots = [...new Set([...own, ...(await sourceFolders(environment)).keys()])];
  if (roots.length > 0) return roots;
  throw new UserError(
    "config",
    "it is not known where sessions are",
    "set HOME, or CLAUDE_CONFIG_DIR to Claude Code's folder",
  );
}

/** The folders of this machine itself. */
export async function ownRoots(environment: Environment, { configDir }: RootOptions): Promise<readonly string[]> {
  if (configDir?.trim()) return existing(findConfigDirs(environment, [configDir]));
  const { configDirs: configured = [] } = await readSettings(environment);
  return findConfigDirs(environment, environment.env["CLAUDE_CONFIG_DIR"]?.trim() ? [] : configured);
}

async function refuseUnknownSource(source: string, environment: Environment): Promise<void> {
  const names = [...(await sourceFolders(environment)).values()];
  if (isAmong(source, names)) return;
  const hint =
    names.length === 0 ? "add one with `turnlog source add <name> <folder>`" : `the sources are ${names.join(", ")}`;
  throw new UserError("not-found", `no source is called ${source}`, hint);
}

/** The folders of the named sources of config.json and of other machines, and their names. */
export async function sourceFolders(environment: Environment): Promise<ReadonlyMap<string, string>> {
  const added = await addedSources(environment);
  return new Map([...added, ...machineRoots(dataFolderOf(environment), added.values())]);
}

/** The folders of the named sources of config.json, and their names. */
export async function addedSources(environment: Environment): Promise<ReadonlyMap<string, string>> {
  const { sources = [] } = await readSettings(environment);
  return new Map(
    sources.flatMap(({ name, path }) => findConfigDirs(environment, [path]).map((folder) => [folder, name])),
  );
}

function findConfigDirs({ env, platform, cwd }: Environment, explicit: readonly string[]): readonly string[] {
  return configDirs({ env, platform, cwd, explicit, exists: existsSync });
}

function existing(folders: readonly string[]): readonly string[] {
  const missing = folders.find((folder) => !statSync(folder, { throwIfNoEntry: false })?.isDirectory());
  if (missing === undefined) return folders;
  throw new UserError("not-found", `no such folder: ${missing}`, "check --config-dir");
}

/** The bundled demo sessions. */
export function demoFolder(): string {
  return join(packageFolder(), "demo");
}
