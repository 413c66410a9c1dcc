import type { Command } from "commander";
import {
  type ArchiveStatus,
  archiveStatus,
  listArchiveCopies,
  type RestoredCopy,
  restoreFromArchive,
  switchArchive,
} from "../../../app/organize/archive.js";
import type { RootOptions } from "../../../app/session-roots.js";
import { formatBytes, formatCount, formatTime } from "../../../render/format-values.js";
import { neutralize } from "../../../render/safe-text.js";
import { paintPlainTable } from "../../../render/terminal/lists/list-table.js";
import type { CommandContext, Io } from "../../io.js";
import { printedJson } from "../../terminal/printed-json.js";

const ABOUT = `
Claude Code deletes sessions that were not written to for 30 days, or as many as "cleanupPeriodDays" in its settings says;
\`turnlog list --expiring\` lists the next ones. While the archive is on, turnlog keeps a compressed copy of every
session and its side files. Deleted sessions are still listed, shown and exported. A file that cannot be copied is named; all
others are copied, and the next run tries it again. To limit the archive, add to config.json
  "archive": { "maxBytes": 5000000000, "keepDays": 365 }
The oldest deleted sessions are removed first; favourites, tagged sessions and copies of existing sessions never are. While it is off, \`turnlog list\`
warns on a terminal, once a day, of sessions that are deleted within a week; "archive": { "warn": false } stops that.

Examples:
  turnlog archive on                 keep every session from now on
  turnlog archive restore 611dbd00   bring a session back to its old place
  turnlog list --deleted             what only the archive still has`;

interface ArchiveOptions extends RootOptions {
  readonly json?: boolean;
  readonly to?: string;
  readonly former?: boolean;
}

export function define(command: Command, { io }: CommandContext): void {
  command.helpCommand(false).addHelpText("after", ABOUT);
  const add = (name: string, summary: string, isDefault = false) =>
    command.command(name, { isDefault }).description(summary).option("--json", "print JSON");
  add("status", "Show whether it is on, how many copies it has, and its size", true).action((options: ArchiveOptions) =>
    printStatus(options, io),
  );
  const turn = async (isOn: boolean, options: ArchiveOptions) => {
    await switchArchive(isOn, { ...command.opts<RootOptions>(), ...options }, io);
    await printStatus(options, io);
  };
  add("on", "Start keeping copies").action((options: ArchiveOptions) => turn(true, options));
  add("off", "Stop making copies; existing copies stay").action((options: ArchiveOptions) => turn(false, options));
  add("list", "List all copies; deleted sessions are marked").action((options: ArchiveOptions) =>
    printCopies(options, io),
  );
  add("restore", "Restore a session to its old place; nothing is overwritten")
    .argument("<session>", "id, unique id prefix or old path")
    .option("--to <folder>", "restore below this folder instead")
    .option("--former", "as it was before its file was last truncated or replaced")
    .action(async (name: string, options: ArchiveOptions) => {
      const restored = restoreFromArchive(name, options, io);
      await io.stdout(options.json ? printedJson(restored, io) : neutralize(`${describeRestored(restored)}\n`));
    });
}

function describeRestored({ path, written, isTranscriptNew }: RestoredCopy): string {
  if (isTranscriptNew) return `restored ${path}`;
  if (written === 0) return `nothing to restore: ${path} is there, and so are all files of its copy`;
  return `restored ${formatCount(written, "missing file")} of ${path}`;
}

interface JsonOption {
  readonly json?: boolean;
}

async function printStatus({ json }: JsonOption, io: Io): Promise<void> {
  const status = await archiveStatus(io);
  if (json) return io.stdout(printedJson(status, io));
  const { sessions, onlyArchived, sizeBytes, rawBytes, maxBytes, keepDays } = status;
  const limit = maxBytes === null ? "no limit" : `at most ${formatBytes(maxBytes)}`;
  const rows = [
    ["archive", status.enabled ? "on" : "off"],
    ["copies", `${formatCount(sessions, "session")}, ${onlyArchived} of them deleted since`],
    ["size", `${formatBytes(sizeBytes)} for ${formatBytes(rawBytes)} (${limit})`],
    [
      "keeps",
      keepDays === null ? "deleted sessions without limit" : `deleted sessions for ${formatCount(keepDays, "day")}`,
    ],
  ];
  const cleanups = status.cleanup.map((cleanup) => ["cleanup", describeCleanup(cleanup)]);
  return io.stdout(`${paintPlainTable([...rows, ...cleanups])}\n`);
}

function describeCleanup({ root, days, settings, expiring, nextAt }: ArchiveStatus["cleanup"][number]): string {
  if (days === null) return neutralize(`Claude Code deletes nothing in ${root}: ${settings} is not valid`);
  const next =
    nextAt === null ? "none within a week" : `${expiring} within a week, the first after ${formatTime(nextAt)}`;
  return neutralize(
    `Claude Code deletes sessions in ${root} after ${formatCount(days, "day")} without a change: ${next}`,
  );
}

async function printCopies({ json }: JsonOption, io: Io): Promise<void> {
  const copies = listArchiveCopies(io);
  if (json) return io.stdout(printedJson(copies, io));
  if (copies.length === 0) return io.stderr("the archive is empty (`turnlog archive on` starts it)\n");
  const rows = copies.map(({ id, lastChange, sizeBytes, onlyArchived, hasFormer, path }) => [
    neutralize(id.slice(0, 8)),
    formatTime(lastChange),
    formatBytes(sizeBytes),
    [onlyArchived ? "deleted" : [], hasFormer ? "truncated or replaced (see restore --former)" : []].flat().join(", "),
    neutralize(path),
  ]);
  return io.stdout(`${paintPlainTable(rows)}\n`);
}
