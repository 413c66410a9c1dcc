import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Command } from "commander";
import { chooseSession } from "../../../app/choose-session.js";
import { loadOptions } from "../../../app/load-options.js";
import { describeMentions } from "../../../app/organize/describe-mentions.js";
import { sessionRoots } from "../../../app/session-roots.js";
import { applyMove, findHalfMoved, planMove, previewMove, toMoveJson } from "../../../app/travel/move-to-project.js";
import type { RewrittenLines } from "../../../edit/travel/map-paths.js";
import type { NewCwd } from "../../../edit/travel/move-session.js";
import { UserError } from "../../../errors.js";
import { findSessions } from "../../../library/sources/find-sessions.js";
import { formatCount } from "../../../render/format-values.js";
import { neutralize } from "../../../render/safe-text.js";
import type { CommandContext } from "../../io.js";
import { SESSION } from "../../options/session-argument.js";
import { printedJson } from "../../terminal/printed-json.js";
import { type MoveProjectFlags, moveProject } from "../travel/move-project.js";

interface MoveOptions extends MoveProjectFlags {
  readonly rewriteCwd?: boolean;
}

const EXAMPLES = `
A session that Claude Code is working on is not moved without --force; with versions before 2.1.326, a session with activity in
the last five minutes.

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
      const { dryRun = false, force = false, demo = false, rewriteCwd: rewritesCwd = false } = options;
      const plan = await planMove(found, { to, rewritesCwd, force, demo }, settings, io);
      const lines = dryRun ? previewMove(plan) : await applyMove(plan);
      const report = toMoveJson(plan, lines, dryRun);
      if (options.json) return io.stdout(printedJson(report, io));
      const { cwd, path, files, resume, remains } = report;
      if (!existsSync(to)) io.stderr(neutralize(`${to} does not exist yet\n`));
      io.stderr(neutralize(`${dryRun ? "would move" : "moved"} ${formatCount(files, "file")} to ${dirname(path)}\n`));
      if (cwd) io.stderr(neutralize(describeLines(lines, cwd, dryRun)));
      for (const line of describeMentions(remains)) io.stderr(`${line}\n`);
      if (!dryRun) await io.stdout(neutralize(`${resume}\n`));
    });
}

function describeLines({ rewritten, left }: RewrittenLines, { from }: NewCwd, dryRun: boolean): string {
  const done = `${dryRun ? "would rewrite" : "rewrote"} paths in ${formatCount(rewritten, "line")}\n`;
  if (left === 0) return done;
  return `${done}${formatCount(left, "line")} still ${left === 1 ? "names" : "name"} ${from} in text: messages, commands and output stay as they are\n`;
}
