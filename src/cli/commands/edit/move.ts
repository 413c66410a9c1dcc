import { existsSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import type { Command } from "commander";
import { chooseSession } from "../../../app/choose-session.js";
import { projectDirOf } from "../../../app/edit/edit-target.js";
import { loadOptions } from "../../../app/load-options.js";
import { resumeCommand } from "../../../app/resume-command.js";
import { type RootOptions, sessionRoots } from "../../../app/session-roots.js";
import { dataFolderOf } from "../../../app/settings.js";
import { type MovedItem, moveSession, type NewCwd } from "../../../edit/travel/move-session.js";
import { UserError } from "../../../errors.js";
import { sessionPaths } from "../../../format/layout/session-paths.js";
import { LIVE_WINDOW_MS } from "../../../library/activity.js";
import { listSessionItems, type SessionItem } from "../../../library/archive/session-items.js";
import type { FoundSession } from "../../../library/found-session.js";
import { loadFound } from "../../../library/load/load-session.js";
import { findSessions } from "../../../library/sources/find-sessions.js";
import { formatCount } from "../../../render/format-values.js";
import { neutralize } from "../../../render/safe-text.js";
import { isSessionLocked } from "../../../store/lock.js";
import { isSameContent, isThere } from "../../../store/move-file.js";
import type { CommandContext } from "../../io.js";

interface MoveOptions extends RootOptions {
  readonly rewriteCwd?: boolean;
  readonly dryRun?: boolean;
  readonly force?: boolean;
  readonly json?: boolean;
}

const EXAMPLES = `
  turnlog move 611dbd00 ~/work/shop              after the project's folder was renamed
  turnlog move 611dbd00 ~/work/shop --rewrite-cwd

A session that was written to in the last five minutes is not moved.`;

export function define(command: Command, { io }: CommandContext): void {
  command
    .argument("<session>", "file path, id, unique id prefix, exact title, or `last`")
    .argument("<project>", "the path of the project that it goes to")
    .option("--rewrite-cwd", "records name the new path too; without, bytes stay as they are")
    .option("--dry-run", "only tell what would be moved")
    .option("--force", "also a session that is being written to")
    .option("--json", "as JSON")
    .addHelpText("after", EXAMPLES)
    .action(async (name: string, project: string, options: MoveOptions) => {
      const settings = await loadOptions(io);
      const roots = await sessionRoots(io, options);
      const to = resolve(io.cwd, project);
      const found =
        findHalfMoved(name, to, findSessions(roots, settings).sessions) ?? chooseSession(name, roots, io, settings);
      const items = listMoves(found, projectDirOf(found.root, to));
      refuse(found, items, options, isSessionLocked(dataFolderOf(io), found.id));
      const from = options.rewriteCwd ? loadFound(found, settings).header.project : null;
      const cwd: NewCwd | null = from === null ? null : { from, to };
      if (!options.dryRun) await moveSession(items, cwd);
      const files = items.filter(({ kind }) => kind !== "folder").length;
      const path = items[0]?.to ?? "";
      const resume = resumeCommand(found.id, to);
      const report = { id: found.id, path, source: found.path, files, cwd, dryRun: options.dryRun ?? false, resume };
      if (options.json) return io.stdout(`${JSON.stringify(report, null, 2)}\n`);
      if (!existsSync(to)) io.stderr(neutralize(`there is no folder ${to} yet\n`));
      io.stderr(
        neutralize(`${options.dryRun ? "would move" : "moved"} ${formatCount(files, "file")} to ${dirname(path)}\n`),
      );
      if (!options.dryRun) await io.stdout(neutralize(`${resume}\n`));
    });
}

/** A move that was killed may leave a session in both places; the same command then takes it from the old one. */
function findHalfMoved(name: string, to: string, sessions: readonly FoundSession[]): FoundSession | undefined {
  const twins = sessions.filter(({ id }) => id === name);
  const [left, ...others] = twins.filter(({ root, path }) => dirname(path) !== projectDirOf(root, to));
  const arrived = twins.find((session) => session !== left);
  if (!left || !arrived || others.length > 0 || !isThere(left.path) || !isThere(arrived.path)) return undefined;
  return isSameContent(left.path, arrived.path) ? left : undefined;
}

/** Backups of edited files lie by the session's id, wherever its project is: they stay. */
function listMoves(found: FoundSession, projectDir: string): MovedItem[] {
  const from = sessionPaths(found.path);
  const history = from.fileHistoryDir(found.root);
  const isBackup = ({ path }: SessionItem) => path === history || !relative(history, path).startsWith("..");
  return listSessionItems(found)
    .filter((item) => !isBackup(item))
    .map(({ path, kind, mode }) => ({ path, kind, mode, to: join(projectDir, relative(from.projectDir, path)) }));
}

function refuse(
  { id, path, archived, mtimeMs, source }: FoundSession,
  [transcript]: readonly MovedItem[],
  options: MoveOptions,
  isLocked: boolean,
): void {
  if (archived)
    throw new UserError("not-found", `only the archive still has session ${id}`, "`turnlog archive` restores it");
  if (options.demo || source !== null)
    throw new UserError("usage", "only sessions of the client's own folders are moved", "use `turnlog clone -o`");
  if (transcript?.to === path)
    throw new UserError("usage", `the session is in ${basename(dirname(path))} already`, "name another project");
  if (isLocked) throw new UserError("busy", `turnlog is writing to session ${id}`, "end its chat first");
  if (options.force || mtimeMs <= Date.now() - LIVE_WINDOW_MS) return;
  const message = `session ${id} was written to in the last five minutes, so its client may still run`;
  throw new UserError("busy", message, "end it first, or use --force");
}
