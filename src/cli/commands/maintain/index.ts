import type { Command } from "commander";
import { type RootOptions, sessionRoots } from "../../../app/session-roots.js";
import { dataFolderOf } from "../../../app/settings.js";
import { UserError } from "../../../errors.js";
import { type IndexStatus, indexStatus, removeIndex } from "../../../library/catalog/open-index.js";
import { indexLockPath, lockIndex, type SyncResult } from "../../../library/sync/sync-index.js";
import { formatBytes, formatCount, formatDuration } from "../../../render/format-values.js";
import { neutralize } from "../../../render/safe-text.js";
import { dataPaths } from "../../../store/data-dir.js";
import { adviceAbout } from "../../../store/lock.js";
import type { CommandContext, Io } from "../../io.js";
import { withIndex } from "../../library-index.js";

interface IndexCommandOptions extends RootOptions {
  readonly json?: boolean;
}

const ACTIONS = ["sync", "status", "rebuild"] as const;

/** What the sync did, and what there is now. */
interface IndexReport extends IndexStatus {
  readonly sync: Omit<SyncResult, "problems"> | null; // null: another process is indexing
}

export function define(command: Command, { io }: CommandContext): void {
  command
    .argument(
      "[action]",
      "sync: index new sessions; status: the same, and print what the index contains; rebuild: start from scratch; archive: see `turnlog archive --help`",
      "status",
    )
    .option("--json", "print JSON")
    .action(async (action: string, options: IndexCommandOptions) => {
      if (!ACTIONS.some((known) => known === action)) {
        throw new UserError("usage", `unknown action: ${action}`, `use ${ACTIONS.join(", ")} or archive`);
      }
      const started = performance.now();
      if (action === "rebuild") removeOldIndex(dataFolderOf(io));
      const report = await syncAndReport(io, options);
      if (options.json) await io.stdout(`${JSON.stringify(report, null, 2)}\n`);
      else await io.stdout(action === "sync" ? describeSync(report, performance.now() - started) : describe(report));
    });
}

/** Not while another process is indexing. */
function removeOldIndex(dataFolder: string): void {
  const lock = lockIndex(dataFolder);
  if (!lock) {
    const message = `another turnlog is indexing${adviceAbout(indexLockPath(dataFolder))}`;
    throw new UserError("busy", message, "try again when it is done");
  }
  removeIndex(dataPaths(dataFolder).index);
  lock.release();
}

async function syncAndReport(io: Io, options: RootOptions): Promise<IndexReport> {
  const roots = await sessionRoots(io, options);
  return withIndex(io, roots, { acceptsPartial: true, isRequired: true, texts: "all" }, (index, sync) => {
    if (!index) throw new Error("an index was required");
    if (!sync) return { ...indexStatus(index), sync: null };
    const { problems, ...done } = sync;
    const status = indexStatus(index);
    const known = new Set(status.problems.map(({ path }) => path));
    return {
      ...status,
      problems: [...status.problems, ...problems.filter(({ path }) => !known.has(path))],
      sync: done,
    };
  });
}

function describeSync({ sync, problems }: IndexReport, durationMs: number): string {
  if (!sync) return "another turnlog is indexing\n";
  const { added, changed, moved, removed } = sync;
  const unread = problems.length > 0 ? `${describeProblems(problems)} (\`turnlog index status\` lists them)\n` : "";
  return `${formatCount(added, "file")} added, ${changed} changed, ${moved} moved, ${removed} removed (${formatDuration(durationMs)})\n${unread}`;
}

function describe({ path, engine, sizeBytes, sessions, subagents, texts, sourceBytes, problems }: IndexReport): string {
  const lines = [
    `${formatCount(sessions, "session")} and ${formatCount(subagents, "sub-agent")}, ${formatCount(texts, "text")}`,
    `${formatBytes(sizeBytes)} for ${formatBytes(sourceBytes)} of sessions (${engine} SQLite)`,
    path,
    ...(problems.length > 0 ? [`${describeProblems(problems)}:`] : []),
    ...problems.map(({ path: file, reason }) => `  ${file}: ${reason}`),
  ];
  return neutralize(`${lines.join("\n")}\n`);
}

function describeProblems(problems: IndexReport["problems"]): string {
  return `${formatCount(problems.length, "file")} could not be read, or only in part`;
}
