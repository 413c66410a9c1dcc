import { statSync } from "node:fs";
import { homedir } from "node:os";
import { posix, win32 } from "node:path";
import type { Command } from "commander";
import { sourceFolders } from "../../../app/session-roots.js";
import { dataFolderOf, readSettings } from "../../../app/settings.js";
import { UserError } from "../../../errors.js";
import { expandHome, fromWslPath, samePath, toWslPath } from "../../../format/layout/path-forms.js";
import { findSessions } from "../../../library/sources/find-sessions.js";
import { formatCount } from "../../../render/format-values.js";
import { neutralize } from "../../../render/safe-text.js";
import { paintPlainTable } from "../../../render/terminal/lists/list-table.js";
import { updateConfig } from "../../../store/config.js";
import type { CommandContext, Io } from "../../io.js";

interface SourceOptions {
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  turnlog source add laptop /mnt/backup/laptop/.claude
  turnlog source add windows /mnt/c/Users/me/.claude       from inside WSL
  turnlog source add wsl '\\\\wsl$\\Debian\\home\\me\\.claude'   from Windows
  turnlog list --source laptop`;

export function define(command: Command, { io }: CommandContext): void {
  command.helpCommand(false).addHelpText("after", EXAMPLES);
  command
    .command("list", { isDefault: true })
    .description("List the sources and how many sessions each has")
    .option("--json", "print JSON")
    .action((options: SourceOptions) => listSources(options, io));
  command
    .command("add")
    .description("Add a folder of sessions: of another machine, WSL or a backup")
    .argument("<name>", "name of the source")
    .argument("<folder>", "a Claude Code folder, or any folder with sessions")
    .option("--json", "print JSON")
    .action((name: string, folder: string, options: SourceOptions) => addSource(name, folder, options, io));
  command
    .command("remove")
    .description("Remove a source; its files stay")
    .argument("<name>", "name of the source")
    .action((name: string) => removeSource(name, io));
}

async function listSources({ json }: SourceOptions, io: Io): Promise<void> {
  const sources = [...(await sourceFolders(io))].map(([path, name]) => describeSource(name, path));
  if (json) await io.stdout(`${JSON.stringify(sources, null, 2)}\n`);
  else if (sources.length === 0) io.stderr("no sources (`turnlog source add <name> <folder>` adds one)\n");
  else {
    const rows = sources.map(({ name, sessions, path }) => [
      neutralize(name),
      sessions === null ? "not available" : formatCount(sessions, "session"),
      neutralize(path),
    ]);
    await io.stdout(`${paintPlainTable(rows)}\n`);
  }
}

interface Source {
  readonly name: string;
  readonly path: string;
  readonly sessions: number | null; // null: the folder is not available
}

function describeSource(name: string, path: string): Source {
  return { name, path, sessions: isFolder(path) ? findSessions([path]).sessions.length : null };
}

async function addSource(name: string, folder: string, { json }: SourceOptions, io: Io): Promise<void> {
  const path = placeOf(folder, io);
  refuseName(name);
  refuseFolder(path);
  const source = describeSource(name, path);
  await updateConfig(dataFolderOf(io), (config) => {
    const known = config.sources ?? [];
    const same = known.find((other) => isSameName(other.name, name) || samePath(other.path, path, io.platform));
    if (same) throw new UserError("exists", `source ${same.name} already exists: ${same.path}`, "remove it first");
    config.sources = [...known, { name, path }];
  });
  if (json) await io.stdout(`${JSON.stringify(source, null, 2)}\n`);
  else await io.stdout(neutralize(`${name}: ${formatCount(source.sessions ?? 0, "session")} in ${path}\n`));
}

/** The path on this system: WSL and Windows have different names for the same folders. */
function placeOf(folder: string, { platform, cwd }: Io): string {
  const path = expandHome(folder, homedir());
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

async function removeSource(name: string, io: Io): Promise<void> {
  const { sources = [] } = await readSettings(io);
  const source = sources.find((other) => isSameName(other.name, name));
  if (!source) throw new UserError("not-found", `no source is called ${name}`, "`turnlog source list` lists them");
  await updateConfig(dataFolderOf(io), (config) => {
    config.sources = config.sources?.filter((other) => !isSameName(other.name, name));
  });
  await io.stdout(neutralize(`removed source ${source.name}; ${source.path} is unchanged\n`));
}

function isSameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
