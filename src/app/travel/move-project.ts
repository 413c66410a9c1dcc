import { copyFileSync, existsSync, renameSync, rmdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { RewrittenLines } from "../../edit/travel/map-paths.js";
import { type MovedItem, moveSession, previewRewrite } from "../../edit/travel/move-session.js";
import { errorCode, UserError } from "../../errors.js";
import { type MovedFolder, mapPath } from "../../format/layout/map-path.js";
import { transcriptOf } from "../../format/layout/session-paths.js";
import { openRunningSessions } from "../../library/running/running-sessions.js";
import {
  findProjectNames,
  type NamedProject,
  renameProject,
  settingsNaming,
} from "../../library/shared-files/rename-project.js";
import { findProjects } from "../../library/sources/find-projects.js";
import { findSessions } from "../../library/sources/find-sessions.js";
import { ensureDataDir } from "../../store/data-dir.js";
import { isSameContent, isThere } from "../../store/move-file.js";
import { projectDirOf } from "../edit/edit-target.js";
import { type RootOptions, sessionRoots, sourceFolders } from "../session-roots.js";
import { dataFolderOf, type Environment } from "../settings.js";
import { listMoves } from "./list-moves.js";
import { type JournalSession, type MoveJournal, readJournals, writeJournal } from "./move-journal.js";

export interface MoveProjectPlan {
  readonly journal: MoveJournal;
  readonly roots: readonly string[];
  /** State and history that name the project, which change. */
  readonly named: readonly NamedProject[];
  /** Settings that name it, which stay. */
  readonly settings: readonly string[];
}

export interface MoveProjectOptions extends RootOptions {
  readonly force?: boolean;
}

/** All sessions of a folder, and of folders below it, after it was moved or renamed. Nothing is written. */
export async function planMoveProject(
  folder: MovedFolder,
  options: MoveProjectOptions,
  environment: Environment,
): Promise<MoveProjectPlan> {
  refuseNested(folder);
  const roots = await ownRoots(options, environment);
  const sessions = roots.flatMap((root) => findMoved(root, folder, environment));
  const named = roots.flatMap((root) => findProjectNames(root, folder));
  if (sessions.length === 0 && named.length === 0) {
    const hint = "`turnlog list --json` prints the projects of your sessions";
    throw new UserError("not-found", `no session worked in ${folder.from}`, hint);
  }
  refuseRunning(sessions, roots, options, environment);
  for (const { path, to } of sessions) if (isThere(to) && !isSameContent(path, to)) throw occupied(to);
  const dirs = new Map(sessions.map(({ path, to }) => [dirname(path), dirname(to)]));
  const besides = [...dirs].flatMap(([from, to]) => {
    const memory = { path: join(from, "memory"), to: join(to, "memory") };
    return existsSync(memory.path) && !existsSync(memory.to) ? [memory] : [];
  });
  const journal: MoveJournal = { ...folder, startedAt: new Date().toISOString(), state: "started", sessions, besides };
  const settings = roots.flatMap((root) => ["settings.json", "settings.local.json"].map((name) => join(root, name)));
  return { journal, roots, named, settings: settingsNaming(settings, folder) };
}

/** Moves everything. A journal says first what is moved, so that a killed move is completed by the next one. */
export async function applyMoveProject(plan: MoveProjectPlan, environment: Environment): Promise<RewrittenLines> {
  const dataDir = dataFolderOf(environment);
  for (const { path } of plan.named) backUp(path, dataDir);
  const { journal } = plan;
  writeJournal(dataDir, journal);
  const lines = await follow(journal);
  for (const root of plan.roots) renameProject(root, journal);
  writeJournal(dataDir, { ...journal, state: "done" });
  return lines;
}

/** Completes what a killed process began. Returns what was completed. */
export async function completeMoves(options: RootOptions, environment: Environment): Promise<MoveJournal[]> {
  const dataDir = dataFolderOf(environment);
  const open = readJournals(dataDir).filter(({ state }) => state === "started");
  for (const journal of open) {
    await follow(journal);
    for (const root of await ownRoots(options, environment)) renameProject(root, journal);
    writeJournal(dataDir, { ...journal, state: "done" });
  }
  return open;
}

/** Moves the latest moved project back to where it was, with what was said in it since. */
export async function undoMoveProject(options: MoveProjectOptions, environment: Environment): Promise<MoveJournal> {
  const dataDir = dataFolderOf(environment);
  const last = readJournals(dataDir).find(({ state }) => state === "done");
  if (!last) throw new UserError("not-found", "no project was moved that could be moved back", "nothing was changed");
  const plan = await planMoveProject({ from: last.to, to: last.from }, options, environment);
  const ids = new Set(last.sessions.map(({ id }) => id));
  const sessions = plan.journal.sessions.filter(({ id }) => ids.has(id)); // others were there before, or are new
  await applyMoveProject({ ...plan, journal: { ...plan.journal, sessions } }, environment);
  writeJournal(dataDir, { ...last, state: "undone" });
  const [back] = readJournals(dataDir).filter(({ startedAt }) => startedAt === plan.journal.startedAt);
  if (back) writeJournal(dataDir, { ...back, state: "undone" });
  return last;
}

/** What rewriting would change; nothing is written. */
export function previewMoveProject({ journal }: MoveProjectPlan): RewrittenLines {
  const { sessions, from, to } = journal;
  let [rewritten, left] = [0, 0];
  for (const items of itemsOf(sessions)) {
    const lines = previewRewrite(items, { from, to });
    rewritten += lines.rewritten;
    left += lines.left;
  }
  return { rewritten, left };
}

/** The files of each session that is still where it was. */
function* itemsOf(sessions: readonly JournalSession[]): Generator<readonly MovedItem[]> {
  const roots = [...new Set(sessions.map(({ root }) => root))];
  const there = new Map(findSessions(roots).sessions.map((found) => [found.path, found]));
  for (const { path, to } of sessions) {
    const found = there.get(path);
    if (found) yield listMoves(found, dirname(to));
  }
}

async function follow({ sessions, besides, from, to }: MoveJournal): Promise<RewrittenLines> {
  let [rewritten, left] = [0, 0];
  for (const items of itemsOf(sessions)) {
    const lines = await moveSession(items, { from, to });
    rewritten += lines.rewritten;
    left += lines.left;
  }
  for (const beside of besides)
    if (existsSync(beside.path) && !existsSync(beside.to)) renameSync(beside.path, beside.to);
  for (const folder of new Set(sessions.map(({ path }) => dirname(path)))) removeEmpty(folder);
  return { rewritten, left };
}

async function ownRoots(options: RootOptions, environment: Environment): Promise<readonly string[]> {
  if (options.demo) throw new UserError("usage", "the demo cannot be moved", "leave out --demo");
  const sources = await sourceFolders(environment);
  return (await sessionRoots(environment, options)).filter((root) => !sources.has(root));
}

function findMoved(root: string, folder: MovedFolder, environment: Environment): JournalSession[] {
  const { sessions } = findSessions([root]);
  return findProjects(sessions).flatMap(({ folder: from, sessions: own }) => {
    const cwd = mapPath(from, [folder]);
    if (cwd === undefined) return [];
    const projectDir = projectDirOf(root, cwd, environment);
    return own.flatMap(({ id, path }) =>
      dirname(path) === projectDir ? [] : [{ id, root, path, to: transcriptOf(projectDir, id), from, cwd }],
    );
  });
}

/** A second rewriting of the same file must change nothing, as after a kill. */
function refuseNested(folder: MovedFolder): void {
  const back = { from: folder.to, to: folder.from };
  if (mapPath(folder.to, [folder]) === undefined && mapPath(folder.from, [back]) === undefined) return;
  const hint = "move the project to a third place first, or each session with `turnlog move <session> <folder>`";
  throw new UserError("usage", "one of the two folders is inside of the other, or they are the same", hint);
}

function refuseRunning(
  sessions: readonly JournalSession[],
  roots: readonly string[],
  { force }: MoveProjectOptions,
  environment: Environment,
): void {
  const running = openRunningSessions(dataFolderOf(environment));
  const client = roots.flatMap((root) => running.clientsIn(root)).find(({ isCertain }) => isCertain || !force);
  if (client) {
    const hint = client.isCertain ? "end every Claude Code first" : "if it is none, use --force";
    throw new UserError("busy", `process ${client.pid} is a running Claude Code, or may be`, hint);
  }
  const busy = sessions.find(({ id, root, path }) => {
    const activity = running.findOrGuess({ id, root, path }, force ? 0 : Date.now());
    return activity !== undefined && activity.kind !== "recent";
  });
  if (busy) throw new UserError("busy", `something works on session ${busy.id}`, "end it first");
}

function backUp(path: string, dataDir: string): void {
  const time = new Date().toISOString().replaceAll(/[:.]/g, "-");
  copyFileSync(path, join(ensureDataDir(dataDir, "backup"), `${basename(path).replace(/^\./, "")}-${time}`));
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    if (!["ENOTEMPTY", "EEXIST", "ENOENT"].includes(errorCode(error) ?? "")) throw error;
  }
}

function occupied(path: string): UserError {
  return new UserError("exists", `${path} is there already`, "move it away first; nothing was changed");
}
