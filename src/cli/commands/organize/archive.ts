import { resolve } from "node:path";
import type { Command } from "commander";
import { type RootOptions, sessionRoots } from "../../../app/session-roots.js";
import { dataFolderOf, readSettings } from "../../../app/settings.js";
import { warnAboutSkipped } from "../../../app/skipped-files.js";
import { UserError } from "../../../errors.js";
import type { FileProblem } from "../../../format/layout/folder-listing.js";
import { type ArchivedSession, formerSession, listArchived, packedSizeOf } from "../../../library/archive/archive.js";
import { restoreArchived } from "../../../library/archive/open-archived.js";
import { isArchivedOnly, updateArchive } from "../../../library/archive/update-archive.js";
import { openArchive } from "../../../library/found-session.js";
import { findSessions } from "../../../library/sources/find-sessions.js";
import { formatBytes, formatCount, formatTime } from "../../../render/format-values.js";
import { neutralize } from "../../../render/safe-text.js";
import { paintPlainTable } from "../../../render/terminal/lists/list-table.js";
import { updateConfig } from "../../../store/config.js";
import type { CommandContext, Io } from "../../io.js";

const ABOUT = `
Claude Code deletes sessions after 30 days by default. While the archive is on, turnlog keeps a compressed copy of every
session and its side files. Deleted sessions are still listed, shown and exported. To limit the archive, add to config.json
  "archive": { "maxBytes": 5000000000, "keepDays": 365 }
The oldest deleted sessions are removed first; favourites, tagged sessions and copies of existing sessions never are.`;

export interface ArchiveOptions extends RootOptions {
  readonly json?: boolean;
  readonly to?: string;
  readonly former?: boolean;
}

export function define(command: Command, { io }: CommandContext): void {
  command.helpCommand(false).addHelpText("after", ABOUT);
  const add = (name: string, summary: string, isDefault = false) =>
    command.command(name, { isDefault }).description(summary).option("--json", "print JSON");
  const rootsOf = () => command.opts<RootOptions>();
  add("status", "Show whether it is on, how many copies it has, and its size", true).action((options: ArchiveOptions) =>
    writeArchiveStatus(options, io),
  );
  add("on", "Start keeping copies").action((options: ArchiveOptions) =>
    switchArchive(true, { ...rootsOf(), ...options }, io),
  );
  add("off", "Stop making copies; existing copies stay").action((options: ArchiveOptions) =>
    switchArchive(false, { ...rootsOf(), ...options }, io),
  );
  add("list", "List all copies; deleted sessions are marked").action((options: ArchiveOptions) =>
    listArchive(options, io),
  );
  add("restore", "Restore a session to its old place; nothing is overwritten")
    .argument("<session>", "id, unique id prefix or old path")
    .option("--to <folder>", "restore below this folder instead")
    .option("--former", "as it was before its file was last truncated or replaced")
    .action((name: string, options: ArchiveOptions) => restoreFromArchive(name, options, io));
}

interface JsonOption {
  readonly json?: boolean;
}

export async function switchArchive(enabled: boolean, options: RootOptions & JsonOption, io: Io): Promise<void> {
  const { archive } = await updateConfig(dataFolderOf(io), (config) => {
    config.archive = { ...config.archive, enabled };
  });
  if (enabled) {
    const problems: FileProblem[] = [];
    const found = findSessions(await sessionRoots(io, options));
    const kept = updateArchive(dataFolderOf(io), found.sessions, archive ?? {}, problems);
    if (!kept) io.stderr("another process is updating the archive\n");
    warnAboutSkipped(problems, io);
  }
  await writeArchiveStatus(options, io);
}

export async function writeArchiveStatus({ json }: JsonOption, io: Io): Promise<void> {
  const { archive: settings } = await readSettings(io);
  const copies = listArchived(openArchive(dataFolderOf(io)));
  const status = {
    enabled: settings?.enabled ?? false,
    sessions: copies.length,
    onlyArchived: copies.filter(isArchivedOnly).length,
    sizeBytes: copies.reduce((sum, copy) => sum + packedSizeOf(copy), 0),
    rawBytes: copies.reduce((sum, copy) => sum + rawSizeOf(copy), 0),
    maxBytes: settings?.maxBytes ?? null,
    keepDays: settings?.keepDays ?? null,
  };
  if (json) return io.stdout(`${JSON.stringify(status, null, 2)}\n`);
  const { sessions, onlyArchived, sizeBytes, rawBytes, maxBytes, keepDays } = status;
  const limit = maxBytes === null ? "no limit" : `at most ${formatBytes(maxBytes)}`;
  const rows = [
    ["archive", status.enabled ? "on" : "off"],
    ["copies", `${formatCount(sessions, "session")}, ${onlyArchived} of them deleted by Claude Code`],
    ["size", `${formatBytes(sizeBytes)} for ${formatBytes(rawBytes)} (${limit})`],
    [
      "keeps",
      keepDays === null ? "deleted sessions without limit" : `deleted sessions for ${formatCount(keepDays, "day")}`,
    ],
  ];
  return io.stdout(`${paintPlainTable(rows)}\n`);
}

export async function listArchive({ json }: JsonOption, io: Io): Promise<void> {
  const copies = listArchived(openArchive(dataFolderOf(io)));
  const listed = copies.map((copy) => ({
    id: copy.id,
    path: copy.path,
    root: copy.root,
    onlyArchived: isArchivedOnly(copy),
    hasFormer: copy.former.length > 0,
    lastChange: new Date(copy.files[0]?.mtimeMs ?? 0).toISOString(),
    files: copy.files.length,
    sizeBytes: packedSizeOf(copy),
    rawBytes: rawSizeOf(copy),
  }));
  const latestFirst = listed.sort((a, b) => b.lastChange.localeCompare(a.lastChange));
  if (json) return io.stdout(`${JSON.stringify(latestFirst, null, 2)}\n`);
  if (latestFirst.length === 0) return io.stderr("the archive is empty (`turnlog archive on` starts it)\n");
  const rows = latestFirst.map(({ id, lastChange, sizeBytes, onlyArchived, hasFormer, path }) => [
    neutralize(id.slice(0, 8)),
    formatTime(lastChange),
    formatBytes(sizeBytes),
    [onlyArchived ? "deleted" : [], hasFormer ? "truncated or replaced (see restore --former)" : []].flat().join(", "),
    neutralize(path),
  ]);
  return io.stdout(`${paintPlainTable(rows)}\n`);
}

export async function restoreFromArchive(
  name: string,
  { to, former, json }: JsonOption & { to?: string; former?: boolean },
  io: Io,
): Promise<void> {
  const chosen = chooseCopy(name, listArchived(openArchive(dataFolderOf(io))));
  const copy = former ? orNoFormer(formerSession(chosen)) : chosen;
  const path = restoreArchived(copy, to === undefined ? undefined : resolve(io.cwd, to));
  const text = `restored ${neutralize(path)}\n`;
  await io.stdout(json ? `${JSON.stringify({ id: copy.id, path, files: copy.files.length }, null, 2)}\n` : text);
}

function orNoFormer(session: ArchivedSession | undefined): ArchivedSession {
  if (session) return session;
  throw new UserError("not-found", "no file of this session was truncated or replaced", "restore it without --former");
}

function chooseCopy(name: string, copies: readonly ArchivedSession[]): ArchivedSession {
  const wanted = name.toLowerCase();
  const matches = copies.filter(
    ({ id, path }) => path === name || (name.length > 1 && id.toLowerCase().startsWith(wanted)),
  );
  const [first] = matches;
  if (!first) {
    throw new UserError(
      "not-found",
      `no session in the archive is called "${name}"`,
      "`turnlog archive list` lists them",
    );
  }
  if (matches.length === 1) return first;
  const shown = matches.map(({ path }) => path).slice(0, 5);
  throw new UserError("ambiguous", `"${name}" matches ${matches.length} copies`, `use one of ${shown.join(", ")}`);
}

function rawSizeOf({ files }: ArchivedSession): number {
  return files.reduce((sum, { rawLength }) => sum + rawLength, 0);
}
