import { type Command, Option } from "commander";
import { chooseSession } from "../../../app/choose-session.js";
import { addFilterOptions, type FilterOptions, parseBytes, toFilter } from "../../../app/filter-options.js";
import type { Io } from "../../../app/io.js";
import { loadOptions } from "../../../app/load-options.js";
import { maskingRedactor } from "../../../app/redaction.js";
import { reportProblems } from "../../../app/report-problems.js";
import { type RootOptions, sessionRoots } from "../../../app/session-roots.js";
import { dataFolderOf } from "../../../app/settings.js";
import { emptyTrash, listTrashed } from "../../../app/trash.js";
import { UserError } from "../../../errors.js";
import type { FileProblem } from "../../../format/layout/folder-listing.js";
import type { LoadOptions } from "../../../library/load/load-session.js";
import { parseMoment } from "../../../library/load/session-summary.js";
import { type Deletable, describeDeletable, findDeletable } from "../../../library/trash/delete-sessions.js";
import { moveToTrash, withTrash } from "../../../library/trash/trash.js";
import { formatBytes, formatCount, formatTime, lastFolder } from "../../../render/format-values.js";
import { neutralize } from "../../../render/safe-text.js";
import { paintPlainTable } from "../../../render/terminal/lists/list-table.js";
import type { CommandContext } from "../../command-context.js";

interface DeleteOptions extends FilterOptions, RootOptions {
  readonly olderThan?: string;
  readonly largerThan?: string;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly force?: boolean;
  readonly list?: boolean;
  readonly emptyTrash?: boolean;
  readonly json?: boolean;
}

const EXAMPLES = `
  turnlog delete 611dbd00                        moves a session and all its side files to turnlog's trash
  turnlog restore 611dbd00                       puts it back as it was
  turnlog delete --older-than 90d --project shop shows what would go; --yes does it
  turnlog delete --larger-than 50MB --yes
  turnlog delete --list                          what is in the trash
  turnlog delete --empty-trash --older-than 30d --yes

Many at once spare your favourites, and nothing deletes a session that was written to in the last five minutes.`;

export function define(command: Command, { io }: CommandContext): void {
  addFilterOptions(command.argument("[sessions...]", "file paths, ids, unique id prefixes, exact titles, or `last`"))
    .option("--older-than <time>", "sessions without activity since then: 90d, 2026-05-01")
    .option("--larger-than <size>", "sessions that take more than this with all their files: 50MB")
    .option("--yes", "do it: without, many sessions at once are only listed")
    .addOption(new Option("--dry-run", "only tell what would go").conflicts("yes"))
    .option("--force", "also a session that is being written to, and favourites")
    .addOption(new Option("--list", "what is in the trash").conflicts(["emptyTrash", "yes"]))
    .option(
      "--empty-trash",
      "removes what is in the trash for good; with --older-than only what was deleted before then",
    )
    .option("--json", "as JSON")
    .addHelpText("after", EXAMPLES)
    .action(async (names: readonly string[], options: DeleteOptions) => {
      if (options.list) return listTrashed(options, io);
      if (options.emptyTrash) return emptyTrash(options, io);
      const isBulk = refuseVagueness(names, options);
      const { chosen, spared } = await chooseDoomed(names, options, io);
      const dryRun = options.dryRun || (isBulk && !options.yes);
      if (!dryRun) await deleteAll(chosen, io);
      await writeDeletion({ dryRun, sessions: chosen, spared }, options, io);
    });
}

/** Either sessions or filters: a filter beside a name would be a misunderstanding, and neither would be everything. */
function refuseVagueness(names: readonly string[], options: DeleteOptions): boolean {
  const { limit, ...filters } = toFilter(options);
  const isFiltered = Object.keys(filters).length > 0 || [options.olderThan, options.largerThan].some((it) => it);
  const hint = "for example `turnlog delete 611dbd00` or `turnlog delete --older-than 90d`";
  if (names.length > 0 && (isFiltered || limit !== undefined))
    throw new UserError("usage", "sessions are named or filtered, not both", hint);
  if (names.length === 0 && !isFiltered) throw new UserError("usage", "no session is named", hint);
  return names.length === 0;
}

async function chooseDoomed(
  names: readonly string[],
  options: DeleteOptions,
  io: Io,
): Promise<Pick<Deletion, "spared"> & { readonly chosen: Deletable[] }> {
  const roots = await sessionRoots(io, options);
  const load = await loadOptions(io);
  const isBulk = names.length === 0;
  const candidates = isBulk
    ? findMany(roots, options, load, io)
    : names.map((name) => describeDeletable(chooseSession(name, roots, io, load), load));
  const unique = [...new Map(candidates.map((session) => [session.path, session])).values()];
  const reasonToSpare = ({ isLive, isFavourite }: Deletable) => {
    if (options.force) return undefined;
    if (isLive) return "written to in the last five minutes";
    return isBulk && isFavourite && !options.favourites ? "a favourite" : undefined;
  };
  const spared = unique.flatMap((session) => {
    const reason = reasonToSpare(session);
    return reason === undefined ? [] : [{ id: session.id, path: session.path, reason }];
  });
  if (!isBulk && spared[0]) throw isRunning(spared[0].id);
  return { chosen: unique.filter((session) => reasonToSpare(session) === undefined), spared };
}

function isRunning(id: string): UserError {
  const message = `session ${id} was written to in the last five minutes, so its client may still run`;
  return new UserError("busy", message, "end it first, or use --force");
}

function findMany(roots: readonly string[], options: DeleteOptions, load: LoadOptions, io: Io): Deletable[] {
  const { olderThan, largerThan } = options;
  const problems: FileProblem[] = [];
  const filter = {
    ...toFilter(options),
    endedBefore: olderThan === undefined ? undefined : parseMoment(olderThan),
    largerThan: largerThan === undefined ? undefined : parseBytes(largerThan, "--larger-than"),
  };
  const found = findDeletable(roots, filter, load, problems);
  reportProblems(problems, io);
  return found;
}

async function deleteAll(sessions: readonly Deletable[], io: Io): Promise<void> {
  if (sessions.length === 0) return;
  await withTrash(dataFolderOf(io), (trash) => {
    for (const { id, path, title, project, items } of sessions) moveToTrash(trash, { id, path, title, project }, items);
  });
}

export interface Deletion {
  readonly dryRun: boolean;
  readonly sessions: readonly Deletable[];
  readonly spared: readonly { readonly id: string; readonly path: string; readonly reason: string }[];
}

/** What went to the trash, or would go. */
export async function writeDeletion(
  deletion: Deletion,
  { json, dryRun: isAsked }: { readonly json?: boolean; readonly dryRun?: boolean },
  io: Io,
): Promise<void> {
  const { dryRun, spared } = deletion;
  const redactor = maskingRedactor();
  const sessions = deletion.sessions.map(({ id, path, title, project, sizeBytes, endedAt, items }) => ({
    id,
    path,
    title: redactor.text(title, "title"),
    project,
    sizeBytes,
    endedAt,
    files: items.filter(({ kind }) => kind !== "folder").length,
  }));
  const sizeBytes = sessions.reduce((sum, session) => sum + session.sizeBytes, 0);
  if (json) return io.stdout(`${JSON.stringify({ dryRun, sizeBytes, sessions, spared }, null, 2)}\n`);
  if (sessions.length > 0) {
    const rows = sessions.map(({ id, title, project, endedAt, files, ...session }) => [
      neutralize(id.slice(0, 8)),
      formatTime(endedAt),
      formatBytes(session.sizeBytes),
      formatCount(files, "file"),
      neutralize(lastFolder(project)),
      neutralize(title),
    ]);
    await io.stdout(`${paintPlainTable(rows)}\n`);
  }
  for (const { id, reason } of spared) io.stderr(neutralize(`${id} stays: ${reason}\n`));
  const what = `${formatCount(sessions.length, "session")}, ${formatBytes(sizeBytes)}`;
  if (!dryRun) io.stderr(`moved to the trash: ${what} (\`turnlog restore\` puts back)\n`);
  else if (sessions.length === 0) io.stderr("no session would go\n");
  else io.stderr(`would go: ${what}${isAsked ? "" : " (--yes does it)"}\n`);
}
