import { type Command, Option } from "commander";
import { chooseSession, requireTranscript } from "../../../app/choose-session.js";
import { describeActivity, inUse } from "../../../app/describe-activity.js";
import { clientRootOf } from "../../../app/edit/edit-target.js";
import { type FilterOptions, parseBytes, toFilter } from "../../../app/filter-options.js";
import { loadOptions } from "../../../app/load-options.js";
import { refuseReceived } from "../../../app/organize/received-sessions.js";
import { emptyTrash, listTrashed } from "../../../app/organize/trash.js";
import { maskingRedactor } from "../../../app/redaction.js";
import { type RootOptions, sessionRoots } from "../../../app/session-roots.js";
import { dataFolderOf } from "../../../app/settings.js";
import { warnAboutSkipped } from "../../../app/skipped-files.js";
import { UserError } from "../../../errors.js";
import type { FileProblem } from "../../../format/layout/folder-listing.js";
import type { FoundSession } from "../../../library/found-session.js";
import type { LoadOptions } from "../../../library/load/load-session.js";
import { parseMoment } from "../../../library/load/session-summary.js";
import { isInCache } from "../../../library/machines/machine-sources.js";
import { openRunningSessions, type RunningSessions } from "../../../library/running/running-sessions.js";
import {
  type Deletable,
  deleteSessions,
  describeDeletable,
  findDeletable,
  findMentions,
} from "../../../library/trash/delete-sessions.js";
import { withTrash } from "../../../library/trash/trash.js";
import type { CommandContext, Io } from "../../io.js";
import { addFilterOptions } from "../../options/filter-options.js";
import { type Deletion, printEmptied, printTrash, writeDeletion } from "../../report/trash-report.js";

interface DeleteOptions extends FilterOptions, RootOptions {
  readonly olderThan?: string;
  readonly largerThan?: string;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly force?: boolean;
  readonly purge?: boolean;
  readonly list?: boolean;
  readonly emptyTrash?: boolean;
  readonly json?: boolean;
}

const EXAMPLES = `
Sessions selected by filters are only listed without --yes, and favourites are kept. Sessions that Claude Code
is working on are never deleted without --force; with versions before 2.1.326, sessions with activity in the last five minutes.

Examples:
  turnlog delete 611dbd00                        move a session and its side files to the trash
  turnlog restore 611dbd00                       restore it
  turnlog delete 611dbd00 --purge                also what the prompt history remembers of it
  turnlog delete --older-than 90d --project shop list what would be deleted; add --yes to delete
  turnlog delete --larger-than 50MB --yes
  turnlog delete --list                          list the trash
  turnlog delete --empty-trash --older-than 30d --yes`;

export function define(command: Command, { io }: CommandContext): void {
  addFilterOptions(command.argument("[sessions...]", "file paths, ids, unique id prefixes, exact titles, or `last`"))
    .option("--older-than <time>", "only sessions without activity since: 90d, 2026-05-01")
    .option("--larger-than <size>", "only sessions larger than this, including side files: 50MB")
    .option("--yes", "delete the sessions that the filters select (default: only list them)")
    .addOption(new Option("--dry-run", "list what would be deleted, delete nothing").conflicts("yes"))
    .option("--force", "also delete running sessions and favourites")
    .option("--purge", "also remove its lines from history.jsonl and .claude.json; `restore` puts them back")
    .addOption(new Option("--list", "list the trash").conflicts(["emptyTrash", "yes"]))
    .option("--empty-trash", "remove everything in the trash for good; with --older-than only what was deleted before")
    .option("--json", "print JSON")
    .addHelpText("after", EXAMPLES)
    .action(async (names: readonly string[], options: DeleteOptions) => {
      if (options.list) return printTrash(await listTrashed(io), options, io);
      if (options.emptyTrash) {
        const isRemoved = options.yes ?? false;
        const olderThan = options.olderThan === undefined ? {} : { olderThan: options.olderThan };
        return printEmptied(await emptyTrash({ ...olderThan, dryRun: !isRemoved }, io), isRemoved, options, io);
      }
      const isBulk = isFilterRequest(names, options);
      const { chosen, spared } = await chooseSessions(names, options, io);
      const dryRun = options.dryRun || (isBulk && !options.yes);
      if (options.purge) refuseToPurge(chosen, options, io);
      const mentions = findMentions(chosen);
      if (!dryRun && chosen.length > 0) {
        await withTrash(dataFolderOf(io), (trash) => deleteSessions(trash, chosen, options.purge ?? false));
      }
      await writeDeletion(
        { dryRun, sessions: chosen, spared, mentions, isPurged: options.purge ?? false },
        options,
        io,
      );
    });
}

/** True for filters, false for names. Both together are a misunderstanding, and neither would mean everything. */
function isFilterRequest(names: readonly string[], options: DeleteOptions): boolean {
  const { limit, ...filters } = toFilter(options);
  const isFiltered = Object.keys(filters).length > 0 || [options.olderThan, options.largerThan].some((it) => it);
  const hint = "for example `turnlog delete 611dbd00` or `turnlog delete --older-than 90d`";
  if (names.length > 0 && (isFiltered || limit !== undefined))
    throw new UserError("usage", "session names and filters cannot be combined", hint);
  if (names.length === 0 && !isFiltered) throw new UserError("usage", "no session given", hint);
  return names.length === 0;
}

async function chooseSessions(
  names: readonly string[],
  options: DeleteOptions,
  io: Io,
): Promise<Pick<Deletion, "spared"> & { readonly chosen: Deletable[] }> {
  const roots = await sessionRoots(io, options);
  const load = await loadOptions(io);
  const isBulk = names.length === 0;
  const running = openRunningSessions(dataFolderOf(io));
  const candidates = isBulk
    ? findMany(roots, options, load, running, io)
    : names.map((name) => describeDeletable(deletable(chooseSession(name, roots, io, load), io), load, running));
  const unique = [...new Map(candidates.map((session) => [session.path, session])).values()];
  const redactor = await maskingRedactor(io);
  const reasonToSpare = ({ path, activity, isFavourite }: Deletable) => {
    if (isInCache(dataFolderOf(io), path)) return "a session of another machine";
    if (activity && (activity.kind === "chat" || !options.force)) return describeActivity(activity, redactor);
    return isBulk && !options.force && isFavourite && !options.favourites ? "a favourite" : undefined;
  };
  const spared = unique.flatMap((session) => {
    const reason = reasonToSpare(session);
    return reason === undefined ? [] : [{ id: session.id, path: session.path, reason }];
  });
  const inTheWay = unique.find((session) => session.activity && reasonToSpare(session) !== undefined);
  if (!isBulk && inTheWay?.activity) throw inUse(inTheWay.id, inTheWay.activity, redactor);
  return { chosen: unique.filter((session) => reasonToSpare(session) === undefined), spared };
}

/** Where Claude Code keeps sessions, an empty or unreadable one can be deleted too; elsewhere a path could name any file. */
function deletable(found: FoundSession, io: Io): FoundSession {
  refuseReceived(found, dataFolderOf(io));
  return found.source !== null || clientRootOf(found.path) !== null ? found : requireTranscript(found);
}

function findMany(
  roots: readonly string[],
  options: DeleteOptions,
  load: LoadOptions,
  running: RunningSessions,
  io: Io,
): Deletable[] {
  const { olderThan, largerThan } = options;
  const problems: FileProblem[] = [];
  const filter = {
    ...toFilter(options),
    endedBefore: olderThan === undefined ? undefined : parseMoment(olderThan),
    largerThan: largerThan === undefined ? undefined : parseBytes(largerThan, "--larger-than"),
  };
  const found = findDeletable(roots, filter, load, running, problems);
  warnAboutSkipped(problems, io);
  return found;
}

/** Claude Code appends to the shared files while it runs, and writes some of them anew from what it has in memory. */
function refuseToPurge(sessions: readonly Deletable[], { force }: DeleteOptions, io: Io): void {
  const running = openRunningSessions(dataFolderOf(io));
  const roots = [...new Set(sessions.map(({ root }) => root))];
  const client = roots.flatMap((root) => running.clientsIn(root)).find(({ isCertain }) => isCertain || !force);
  if (!client) return;
  const { pid, isCertain } = client;
  const who = isCertain ? `Claude Code is running in process ${pid}` : `process ${pid} may be Claude Code elsewhere`;
  const hint = isCertain ? "end every Claude Code first, or delete without --purge" : "if it is not, use --force";
  throw new UserError("busy", `${who} and may be writing its history`, hint);
}
