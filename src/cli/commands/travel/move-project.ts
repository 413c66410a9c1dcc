import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { RootOptions } from "../../../app/session-roots.js";
import {
  applyMoveProject,
  completeMoves,
  type MoveProjectPlan,
  planMoveProject,
  previewMoveProject,
  undoMoveProject,
} from "../../../app/travel/move-project.js";
import type { RewrittenLines } from "../../../edit/travel/map-paths.js";
import { UserError } from "../../../errors.js";
import { formatCount } from "../../../render/format-values.js";
import { neutralize } from "../../../render/safe-text.js";
import type { Io } from "../../io.js";
import { printedJson } from "../../terminal/printed-json.js";
import { openPrompter } from "../../terminal/prompter.js";

export interface MoveProjectFlags extends RootOptions {
  readonly project?: string;
  readonly undo?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** `turnlog move --project <old> <new>`, and `--undo`. What a killed one left is completed first. */
export async function moveProject(name: string | undefined, options: MoveProjectFlags, io: Io): Promise<void> {
  if (!options.dryRun)
    for (const { from, to } of await completeMoves(options, io))
      io.stderr(neutralize(`completed the move of ${from} to ${to}, which was cut short\n`));
  if (options.undo) return undo(options, io);
  if (name === undefined)
    throw new UserError("usage", "the new folder is missing", "turnlog move --project <old> <new>");
  const folder = { from: resolve(io.cwd, options.project ?? ""), to: resolve(io.cwd, name) };
  const plan = await planMoveProject(folder, options, io);
  if (!options.json) io.stderr(neutralize(describePlan(plan)));
  const isAgreed = !options.dryRun && (options.yes || (await confirm(io)));
  const lines = isAgreed ? await applyMoveProject(plan, io) : previewMoveProject(plan);
  return print(plan, lines, { json: options.json ?? false, isDone: isAgreed }, io);
}

async function undo(options: MoveProjectFlags, io: Io): Promise<void> {
  const { from, to, sessions } = await undoMoveProject(options, io);
  if (options.json) return io.stdout(printedJson({ from: to, to: from, sessions: sessions.length, undone: true }, io));
  await io.stdout(neutralize(`moved ${formatCount(sessions.length, "session")} back from ${to} to ${from}\n`));
}

async function confirm(io: Io): Promise<boolean> {
  const input = io.stdin();
  if (!("isTTY" in input && input.isTTY === true))
    throw new UserError("usage", "nothing was moved: there is no terminal to ask on", "look at it, then add --yes");
  const prompter = openPrompter(io);
  try {
    return await prompter.confirm("Move?");
  } finally {
    prompter.close();
  }
}

function describePlan({ journal, named, settings }: MoveProjectPlan): string {
  const { from, to, sessions, besides } = journal;
  return [
    `${from} is now ${to}${existsSync(to) ? "" : ", which does not exist yet"}`,
    ...sessions.map((session) => `  ${session.id}  ${session.to}`),
    ...besides.map((beside) => `  ${beside.to}`),
    ...named.map(
      ({ path, count }) => `  ${path}: ${formatCount(count, "entry", "entries")} with the new folder; a copy is kept`,
    ),
    ...settings.map((path) => `  ${path} names the old folder and stays as it is`),
  ]
    .map((line) => `${line}\n`)
    .join("");
}

function print(
  { journal, named, settings }: MoveProjectPlan,
  { rewritten, left }: RewrittenLines,
  { json, isDone }: { readonly json: boolean; readonly isDone: boolean },
  io: Io,
): Promise<void> | void {
  const { from, to } = journal;
  const sessions = journal.sessions.map(({ id, path, to: target }) => ({ id, source: path, path: target }));
  if (json) return io.stdout(printedJson({ from, to, done: isDone, sessions, named, settings, rewritten, left }, io));
  const [moved, rewrote] = isDone ? ["moved", "rewrote"] : ["would move", "would rewrite"];
  const count = formatCount(sessions.length, "session");
  const rest =
    left === 0 ? "" : `; ${formatCount(left, "line")} still ${left === 1 ? "names" : "name"} ${from} in text`;
  return io.stdout(neutralize(`${moved} ${count}, ${rewrote} paths in ${formatCount(rewritten, "line")}${rest}\n`));
}
