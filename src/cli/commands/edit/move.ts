import { existsSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import type { Command } from "commander";
import { chooseSession, requireTranscript } from "../../../app/choose-session.js";
import { inUse } from "../../../app/describe-activity.js";
import { clientRootOf, projectDirOf } from "../../../app/edit/edit-target.js";
import { loadOptions } from "../../../app/load-options.js";
import { describeMentions } from "../../../app/organize/describe-mentions.js";
import { maskingRedactor } from "../../../app/redaction.js";
import { resumeCommand } from "../../../app/resume-command.js";
import { sessionRoots } from "../../../app/session-roots.js";
import { dataFolderOf } from "../../../app/settings.js";
import { listMoves } from "../../../app/travel/list-moves.js";
import { projectOf } from "../../../app/travel/session-project.js";
import type { RewrittenLines } from "../../../edit/travel/map-paths.js";
import { type MovedItem, moveSession, type NewCwd, previewRewrite } from "../../../edit/travel/move-session.js";
import { UserError } from "../../../errors.js";
import type { FoundSession, UserData } from "../../../library/found-session.js";
import { loadFound } from "../../../library/load/load-session.js";
import { openRunningSessions } from "../../../library/running/running-sessions.js";
import { mentionsOfPlace } from "../../../library/shared-files/shared-mentions.js";
import { findSessions } from "../../../library/sources/find-sessions.js";
import type { Redactor } from "../../../redact/create-redactor.js";
import { formatCount } from "../../../render/format-values.js";
import { neutralize } from "../../../render/safe-text.js";
import { isSameContent, isThere } from "../../../store/move-file.js";
import type { CommandContext, Io } from "../../io.js";
import { SESSION } from "../../options/session-argument.js";
import { printedJson } from "../../terminal/printed-json.js";
import { type MoveProjectFlags, moveProject } from "../travel/move-project.js";

interface MoveOptions extends MoveProjectFlags {
  readonly rewriteCwd?: boolean;
}

const EXAMPLES = `
A session that Claude Code is working on is not moved without --force. Versions before 2.1.326 do not tell: then a session
with activity in the last five minutes.

Examples:
  turnlog move 611dbd00 ~/work/shop              after the project's folder was renamed
  turnlog move 611dbd00 ~/work/shop --rewrite-cwd
  turnlog move --project ~/shop ~/work/shop      all its sessions, with memory, history and Claude Code's entry
  turnlog move --undo`;

export function define(command: Command, { io }: CommandContext): void {
  command
    .argument("[session]", SESSION)
    .argument("[project]", "path of the new project")
    .option("--project <folder>", "move all sessions of this folder, which has moved, and what Claude Code knows of it")
    .option("--undo", "move the project back that was moved last")
    .option("--yes", "with --project: do not ask")
    .option(
      "--rewrite-cwd",
      "also write the new path wherever Claude Code reads it from the records; text stays (default: records stay unchanged)",
    )
    .option("--dry-run", "print what would be moved, move nothing")
    .option("--force", "move it even if it is running")
    .option("--json", "print JSON")
    .addHelpText("after", EXAMPLES)
    .action(async (name: string | undefined, project: string | undefined, options: MoveOptions) => {
      if (options.project !== undefined || options.undo) return moveProject(name, options, io);
      if (name === undefined || project === undefined)
        throw new UserError(
          "usage",
          "a session and a folder are needed",
          "or --project with the old and the new folder",
        );
      const settings = await loadOptions(io);
      const roots = await sessionRoots(io, options);
      const to = resolve(io.cwd, project);
      const found =
        findHalfMoved(name, to, findSessions(roots, settings).sessions, io) ?? chooseSession(name, roots, io, settings);
      const items = listMoves(found, projectDirOf(found.root, to, io));
      if (!found.archived) requireTranscript(found);
      refuse(found, items, options);
      refuseInUse(found, options, dataFolderOf(io), await maskingRedactor(io));
      const from = options.rewriteCwd ? oldCwd(found, settings) : null;
      const cwd: NewCwd | null = from === null || from === to ? null : { from, to };
      const remains = mentionsOfPlace(found.root, found);
      const lines = await moveOrPreview(items, cwd, options);
      const files = items.filter(({ kind }) => kind !== "folder").length;
      const path = items[0]?.to ?? "";
      const resume = resumeCommand(found.id, to, found.root);
      const dryRun = options.dryRun ?? false;
      const report = { id: found.id, path, source: found.path, files, cwd, dryRun, resume, ...lines, remains };
      if (options.json) return io.stdout(printedJson(report, io));
      if (!existsSync(to)) io.stderr(neutralize(`${to} does not exist yet\n`));
      io.stderr(neutralize(`${dryRun ? "would move" : "moved"} ${formatCount(files, "file")} to ${dirname(path)}\n`));
      if (cwd) io.stderr(neutralize(describeLines(lines, cwd, dryRun)));
      for (const line of describeMentions(remains)) io.stderr(`${line}\n`);
      if (!dryRun) await io.stdout(neutralize(`${resume}\n`));
    });
}

/** Where the session's folder says that it was; the session may have worked elsewhere before and after. */
function oldCwd(found: FoundSession, settings: UserData): string | null {
  const { header, outline } = loadFound(found, settings);
  return projectOf(found.path, outline.facts) ?? header.project;
}

async function moveOrPreview(items: readonly MovedItem[], cwd: NewCwd | null, { dryRun }: MoveOptions) {
  if (!dryRun) return moveSession(items, cwd);
  return cwd ? previewRewrite(items, cwd) : { rewritten: 0, left: 0 };
}

function describeLines({ rewritten, left }: RewrittenLines, { from }: NewCwd, dryRun: boolean): string {
  const done = `${dryRun ? "would rewrite" : "rewrote"} paths in ${formatCount(rewritten, "line")}\n`;
  if (left === 0) return done;
  return `${done}${formatCount(left, "line")} still ${left === 1 ? "names" : "name"} ${from} in text: messages, commands and output stay as they are\n`;
}

/** An interrupted move may leave a session in both places; running it again finishes the move. */
function findHalfMoved(name: string, to: string, sessions: readonly FoundSession[], io: Io): FoundSession | undefined {
  const twins = sessions.filter(({ id }) => id === name);
  const [left, ...others] = twins.filter(({ root, path }) => dirname(path) !== projectDirOf(root, to, io));
  const arrived = twins.find((session) => session !== left);
  if (!left || !arrived || others.length > 0 || !isThere(left.path) || !isThere(arrived.path)) return undefined;
  return isSameContent(left.path, arrived.path) ? left : undefined;
}

function refuse(
  { id, path, archived, source }: FoundSession,
  [transcript]: readonly MovedItem[],
  options: MoveOptions,
): void {
  if (archived)
    throw new UserError(
      "not-found",
      `session ${id} exists only in the archive`,
      "restore it with `turnlog archive restore`",
    );
  if (options.demo || source !== null || clientRootOf(path) === null)
    throw new UserError("usage", "only sessions in Claude Code's own folders can be moved", "use `turnlog clone -o`");
  if (transcript?.to === path)
    throw new UserError("usage", `the session is already in ${basename(dirname(path))}`, "name another project");
}

function refuseInUse(found: FoundSession, { force }: MoveOptions, dataDir: string, redactor: Redactor): void {
  const activity = openRunningSessions(dataDir).findOrGuess(found, found.mtimeMs);
  if (activity && (activity.kind === "chat" || !force)) throw inUse(found.id, activity, redactor);
}
