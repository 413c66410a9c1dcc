import { randomBytes } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, sep } from "node:path";
import { isFileError, readText } from "../errors.js";
import { keepDraftRegister, noteFolder, sweepNotedFolders } from "./draft-register.js";
import { isDeadTag, ownTag, TAG_PATTERN } from "./process-identity.js";

/**
 * All temporary files and folders get their names here. A name says which process made it, so that what a killed process
 * left behind is recognised and removed, and nothing else is.
 */

/** A private folder in the system's folder for temporary files, until `removeTemporary` or the end of the process. */
export function makeTemporaryFolder(purpose: string): string {
  const folder = join(tmpdir(), temporaryName(`turnlog-${purpose}`));
  prepare(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
  removeAtEnd(folder);
  return folder;
}

/**
 * A name beside `target` for what is not complete yet, on the same file system. It is hidden and ends in `.tmp`, so that it is
 * not taken for a session or a setting. Leftovers of killed processes in that folder are removed on the way.
 */
export function draftPathOf(target: string): string {
  const folder = dirname(target);
  prepare(folder);
  return join(folder, temporaryName(`.${cutToBytes(basename(target), LONGEST_LABEL)}`));
}

/** A private folder beside `target` that gets its name when it is complete. */
export function makeDraftFolder(target: string): string {
  const folder = draftPathOf(target);
  mkdirSync(folder, { mode: 0o700 });
  removeAtEnd(folder);
  return folder;
}

/** The name of a draft while its target's name is reserved by an empty file. */
export function reservingPathOf(draft: string): string {
  return draft.replace(/\.tmp$/, RESERVING);
}

/**
 * Promises that `paths` are removed by a later sweep if this process is killed before `target` exists. Returns the note
 * that says so, to be removed when all is done.
 */
export function undoUnless(target: string, paths: readonly string[]): string {
  const note = draftPathOf(target).replace(/\.tmp$/, UNDO);
  if (paths.length > 0)
    writeFileSync(note, JSON.stringify({ target, paths } satisfies UndoNote), { flag: "wx", mode: 0o600 });
  return note;
}

/** Removes it when the process ends, also by a signal, unless `removeTemporary` or `keepTemporary` came first. */
export function removeAtEnd(path: string): void {
  if (unfinished.size === 0) watchEnd();
  unfinished.add(path);
}

export function removeTemporary(path: string): void {
  rmSync(path, { recursive: true, force: true });
  keepTemporary(path);
}

/** It got another name, or is gone. */
export function keepTemporary(path: string): void {
  if (unfinished.delete(path) && unfinished.size === 0) unwatchEnd();
}

/** Removes what killed processes left in a folder. False where that is not known. */
export function sweepTemporary(folder: string = tmpdir()): boolean {
  try {
    for (const name of readdirSync(folder)) if (isTemporaryName(name)) removeIfLeft(join(folder, name));
    return true;
  } catch (error) {
    if (!isFileError(error)) throw error; // what cannot be listed or removed stays, and is in nobody's way
    return false;
  }
}

/** At the start of a process: removes what killed ones left, wherever they noted it, and notes what this one makes. */
export function sweepLeftovers(dataFolder: string): void {
  for (const folder of [tmpdir(), dataFolder, join(dataFolder, "locks")]) sweepTemporary(folder);
  sweepNotedFolders(dataFolder, (folder) => sweepTemporary(folder) || isInTemporary(folder));
  keepDraftRegister(dataFolder, hasOwn);
}

/** A folder of a draft: it went with the draft, or got another name. */
function isInTemporary(folder: string): boolean {
  return folder.split(sep).some(isTemporaryName);
}

function hasOwn(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => TEMPORARY_NAME.exec(name)?.[2] === ownTag());
  } catch (error) {
    if (isFileError(error)) return false;
    throw error;
  }
}

const RESERVING = ".reserving.tmp";
const UNDO = ".undo.tmp";

/** `label.tag-random.tmp`. */
const TEMPORARY_NAME = new RegExp(`^(.+)\\.(${TAG_PATTERN.source})-[0-9a-f]{8}(?:\\.reserving|\\.undo)?\\.tmp$`, "s");

export function isTemporaryName(name: string): boolean {
  return name.endsWith(".tmp") && TEMPORARY_NAME.test(name);
}

/** Removes a path with a temporary name whose owner is dead. */
export function removeIfLeft(path: string): void {
  const [, label, tag] = TEMPORARY_NAME.exec(basename(path)) ?? [];
  const stats = tag === undefined ? undefined : lstatSync(path, { throwIfNoEntry: false });
  if (!label || tag === undefined || !stats || (process.getuid && stats.uid !== process.getuid())) return;
  if (!isDeadTag(tag, stats.mtimeMs)) return;
  if (path.endsWith(RESERVING)) removeReservation(join(dirname(path), label.slice(1)));
  if (path.endsWith(UNDO)) undo(path);
  rmSync(path, { recursive: true, force: true });
}

function removeReservation(target: string): void {
  if (lstatSync(target, { throwIfNoEntry: false })?.size === 0) rmSync(target);
}

function undo(note: string): void {
  const { target, paths } = readNote(note);
  if (existsSync(target)) return;
  for (const path of paths) rmSync(path, { recursive: true, force: true });
}

interface UndoNote {
  readonly target: string;
  readonly paths: readonly string[];
}

/** A note that was cut off was written before anything it names. */
function readNote(note: string): UndoNote {
  try {
    const { target, paths } = JSON.parse(readText(note)) as Partial<UndoNote>;
    const isWhole =
      typeof target === "string" && Array.isArray(paths) && paths.every((path) => typeof path === "string");
    return isWhole ? { target, paths } : { target: note, paths: [] };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return { target: note, paths: [] };
    throw error;
  }
}

/** In bytes; file names have at most 255. */
const LONGEST_LABEL = 180;

function temporaryName(label: string): string {
  return `${label}.${ownTag()}-${randomBytes(4).toString("hex")}.tmp`;
}

function cutToBytes(text: string, bytes: number): string {
  return new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, bytes), { stream: true });
}

/** When a folder was last swept: listing it for each of many drafts would cost more than writing them. */
const lastSweeps = new Map<string, number>();
const BETWEEN_SWEEPS_MS = 10_000;

function prepare(folder: string): void {
  noteFolder(folder);
  const now = performance.now();
  if (now - (lastSweeps.get(folder) ?? Number.NEGATIVE_INFINITY) < BETWEEN_SWEEPS_MS) return;
  lastSweeps.set(folder, now);
  sweepTemporary(folder);
}

const unfinished = new Set<string>();
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

function watchEnd(): void {
  process.on("exit", removeUnfinished);
  for (const signal of SIGNALS) process.prependListener(signal, endBy); // before those that listen once
}

function unwatchEnd(): void {
  process.off("exit", removeUnfinished);
  for (const signal of SIGNALS) process.off(signal, endBy);
}

function removeUnfinished(): void {
  for (const path of unfinished) rmSync(path, { recursive: true, force: true });
}

/** Who else listens to the signal ends the process, or goes on and needs the files. */
function endBy(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  removeUnfinished();
  unwatchEnd();
  process.kill(process.pid, signal);
}
