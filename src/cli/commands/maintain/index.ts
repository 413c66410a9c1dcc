import { constants, setPriority } from "node:os";
import type { Command } from "commander";
import { type RootOptions, sessionRoots } from "../../../app/session-roots.js";
import { dataFolderOf, readSettings } from "../../../app/settings.js";
import { limitHeapGrowth } from "../../../app/small-heap.js";
import { UserError } from "../../../errors.js";
import type { FileProblem } from "../../../format/layout/folder-listing.js";
import { countMissing, findChanges, type MissingBytes } from "../../../library/catalog/library-changes.js";
import { discardIndex, type IndexStatus, indexStatus } from "../../../library/catalog/open-index.js";
import { openArchive } from "../../../library/found-session.js";
import {
  type BackgroundBuild,
  buildInBackground,
  findBackgroundBuild,
  findFailedBuild,
  forgetFailedBuild,
  stopBackgroundBuild,
} from "../../../library/sync/background.js";
import { indexLockPath, lockIndex, type SyncResult } from "../../../library/sync/sync-index.js";
import { useIndex } from "../../../library/sync/use-index.js";
import { formatBytes, formatCount, formatDuration } from "../../../render/format-values.js";
import { neutralize } from "../../../render/safe-text.js";
import { adviceAbout } from "../../../store/lock.js";
import { BACKGROUND_ACTION } from "../../background-index.js";
import type { CommandContext, Io } from "../../io.js";
import { startReader, withIndex } from "../../library-index.js";
import { printedJson } from "../../terminal/printed-json.js";

interface IndexCommandOptions extends RootOptions {
  readonly json?: boolean;
}

const ACTIONS = ["sync", "status", "rebuild", "stop"] as const;

/** What there is now, and of `sync` and `rebuild` what they did. */
interface IndexReport extends IndexStatus {
  readonly sync: Omit<SyncResult, "problems"> | null; // null: another process is indexing, or no sync was asked for
  /** What is not indexed yet, in bytes of session files; of `status` only. */
  readonly missing?: MissingBytes;
  /** The process that indexes in the background. */
  readonly background: BackgroundBuild | null;
  /** Why the last such process ended before its work was done. */
  readonly failure?: string;
}

const EXAMPLES = `
Examples:
  turnlog index status    how many sessions are indexed, and what is missing
  turnlog index rebuild   build it again from the session files`;

export function define(command: Command, { io, args }: CommandContext): void {
  command
    .argument(
      "[action]",
      "status: what the index contains, and whether it is being built; sync: index new sessions now; rebuild: start from scratch; stop: end the process that indexes in the background, until a command needs it again; archive: see `turnlog archive --help`",
      "status",
    )
    .option("--json", "print JSON")
    .allowExcessArguments(args[0] === BACKGROUND_ACTION) // the folders follow
    .addHelpText("after", EXAMPLES)
    .action(async (action: string, options: IndexCommandOptions) => {
      if (action === BACKGROUND_ACTION) return buildQuietly(io, args.slice(1));
      if (action === "stop") return stop(io);
      if (!ACTIONS.some((known) => known === action)) {
        throw new UserError("usage", `unknown action: ${action}`, `use ${ACTIONS.join(", ")} or archive`);
      }
      const started = performance.now();
      if (action === "rebuild") removeOldIndex(dataFolderOf(io));
      const report = await (action === "status" ? reportStatus(io, options) : syncAndReport(io, options));
      if (options.json) await io.stdout(printedJson(report, io));
      else await io.stdout(action === "sync" ? describeSync(report, performance.now() - started) : describe(report));
    });
}

/** The work of the background process: nobody sees what it prints, and it gives way to all others. */
async function buildQuietly(io: Io, roots: readonly string[]): Promise<void> {
  setPriority(constants.priority.PRIORITY_LOW);
  limitHeapGrowth({ isBuilding: true });
  const stopping = new AbortController();
  const unlisten = io.onInterrupt(() => stopping.abort());
  const { archive } = await readSettings(io);
  const retention = archive?.enabled ? archive : undefined;
  try {
    await buildInBackground(dataFolderOf(io), roots, { retention, startThread: startReader, signal: stopping.signal });
  } finally {
    unlisten();
  }
}

function stop(io: Io): void {
  const isStopped = stopBackgroundBuild(dataFolderOf(io));
  io.stderr(isStopped ? STOPPED : "nothing is indexing in the background\n");
}

const STOPPED = `stopped; what is indexed stays, and the next command that misses something starts it again
  \`"index": { "background": false }\` in config.json of the data folder turns it off\n`;

/** Without a sync. */
async function reportStatus(io: Io, options: RootOptions): Promise<IndexReport> {
  const roots = await sessionRoots(io, options);
  const folder = dataFolderOf(io);
  const how = { sync: false, isRequired: true, onNote: (note: string) => io.stderr(`${note}\n`) };
  return useIndex(folder, roots, how, (index) => {
    if (!index) throw new Error("an index was required");
    const changes = findChanges(index.db, roots, openArchive(folder));
    const missing = countMissing(index.db, changes);
    const background = findBackgroundBuild(folder) ?? null;
    if (missing.catalog + missing.texts === 0) forgetFailedBuild(folder);
    const failure = background ? undefined : findFailedBuild(folder);
    const report = { ...withProblems(indexStatus(index), changes.problems), sync: null, missing, background };
    return failure === undefined ? report : { ...report, failure };
  });
}

/** Those that the index knows, then the others. */
function withProblems(status: IndexStatus, problems: readonly FileProblem[]): IndexStatus {
  const known = new Set(status.problems.map(({ path }) => path));
  return { ...status, problems: [...status.problems, ...problems.filter(({ path }) => !known.has(path))] };
}

/** Not while another process is indexing. */
function removeOldIndex(dataFolder: string): void {
  const lock = lockIndex(dataFolder);
  if (!lock) {
    const message = `another turnlog is indexing${adviceAbout(indexLockPath(dataFolder))}`;
    throw new UserError("busy", message, "try again when it is done");
  }
  discardIndex(dataFolder);
  lock.release();
}

async function syncAndReport(io: Io, options: RootOptions): Promise<IndexReport> {
  const roots = await sessionRoots(io, options);
  return withIndex(io, roots, { acceptsPartial: true, isRequired: true, texts: "all" }, (index, sync) => {
    if (!index) throw new Error("an index was required");
    const background = findBackgroundBuild(dataFolderOf(io)) ?? null;
    if (!sync) return { ...indexStatus(index), sync: null, background };
    forgetFailedBuild(dataFolderOf(io));
    const { problems, ...done } = sync;
    return { ...withProblems(indexStatus(index), problems), sync: done, background };
  });
}

function describeSync({ sync, problems }: IndexReport, durationMs: number): string {
  if (!sync) return "another turnlog is indexing\n";
  const { added, changed, moved, removed } = sync;
  const unread = problems.length > 0 ? `${describeProblems(problems)} (\`turnlog index status\` lists them)\n` : "";
  return `${formatCount(added, "file")} added, ${changed} changed, ${moved} moved, ${removed} removed (${formatDuration(durationMs)})\n${unread}`;
}

function describe(report: IndexReport): string {
  const { path, engine, sizeBytes, sessions, subagents, texts, sourceBytes, problems, missing, background } = report;
  const lines = [
    ...(background ? [describeBackground(background)] : []),
    ...(report.failure === undefined ? [] : [`indexing in the background failed: ${report.failure}`]),
    ...(missing && missing.catalog + missing.texts > 0 ? [describeMissing(missing)] : []),
    `${formatCount(sessions, "session")} and ${formatCount(subagents, "sub-agent")}, ${formatCount(texts, "text")}`,
    `${formatBytes(sizeBytes)} for ${formatBytes(sourceBytes)} of sessions (${engine} SQLite)`,
    path,
    ...(problems.length > 0 ? [`${describeProblems(problems)}:`] : []),
    ...problems.map(({ path: file, reason }) => `  ${file}: ${reason}`),
  ];
  return neutralize(`${lines.join("\n")}\n`);
}

function describeBackground({ pid, share, remainingMs }: BackgroundBuild): string {
  const far = share === null ? "" : `, ${Math.floor(share * 100)} % done`;
  const left = remainingMs === null ? "" : `, about ${formatDuration(remainingMs)} left`;
  return `indexing in the background (process ${pid}${far}${left}; \`turnlog index stop\` ends it)`;
}

function describeMissing({ catalog, texts }: MissingBytes): string {
  const parts = [
    catalog > 0 ? `${formatBytes(catalog)} of sessions` : "",
    texts > 0 ? `the texts of ${formatBytes(texts)}` : "",
  ];
  return `not indexed yet: ${parts.filter((part) => part !== "").join(" and ")} (commands read these from the files)`;
}

function describeProblems(problems: IndexReport["problems"]): string {
  return `${formatCount(problems.length, "file")} could not be read, or only in part`;
}
