import { hash } from "node:crypto";
import { lstatSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { isFileError, reasonOf, UserError } from "../../errors.js";
import { readState, stateKey } from "../../format/identity/file-identity.js";
import { attempt, type FileProblem } from "../../format/layout/folder-listing.js";
import { readSmallFile } from "../../format/layout/small-file.js";
import { atomicWrite } from "../../store/atomic-write.js";
import { makeFolder } from "../../store/make-folder.js";
import { isMachineId } from "./memberships.js";
import { parseKey } from "./streams.js";

/*
 * A folder that several machines reach: `<folder>/turnlog/<machine>/<session>/<number>-<digest>.seg`, and the machine's name in
 * `machine.json`. Every machine writes below its own folder only, and no file is ever changed, so that a service that
 * copies the folder between machines finds no two versions of one file.
 */

const TOP = "turnlog";
const MACHINE_FILE = "machine.json";
const MAX_MACHINES = 256;
const MAX_SESSIONS = 100_000;
const MAX_SEGMENTS = 20_000;

export function machineFolder(folder: string, machine: string): string {
  return join(folder, TOP, machine);
}

export function machineFile(folder: string, machine: string): string {
  return join(machineFolder(folder, machine), MACHINE_FILE);
}

/** Refuses a folder that is not there: one that is made where a drive should be mounted would fill the wrong disk. */
export function requireFolder(folder: string): void {
  const stats = fileOperation(folder, "read", () => statSync(folder, { throwIfNoEntry: false }));
  if (stats?.isDirectory()) return;
  const message = stats ? `${folder} is not a folder` : `no such folder: ${folder}`;
  throw new UserError("not-found", message, "mount the drive or create the folder, then sync again");
}

export function listMachines(folder: string, problems: FileProblem[]): string[] {
  return realFolders(join(folder, TOP), problems).filter(isMachineId).slice(0, MAX_MACHINES);
}

export function listKeys(folder: string, machine: string, problems: FileProblem[]): string[] {
  const keys = realFolders(machineFolder(folder, machine), problems).filter((name) => parseKey(name) !== undefined);
  if (keys.length > MAX_SESSIONS) problems.push({ path: machineFolder(folder, machine), reason: "too many sessions" });
  return keys.slice(0, MAX_SESSIONS);
}

/** Links could lead anywhere. */
function realFolders(path: string, problems: FileProblem[]): string[] {
  if (!attempt(path, problems, () => lstatSync(path))?.isDirectory()) return [];
  const entries = attempt(path, problems, () => readdirSync(path, { withFileTypes: true })) ?? [];
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

/** A file in a session's folder that has the name of a segment. */
export interface SegmentFile {
  readonly name: string;
  readonly number: number;
  readonly path: string;
}

const SEGMENT_NAME = /^(\d{6,9})-([0-9a-f]{64})\.seg$/;

/** In their order. Conflict copies, drafts and other files have other names. */
export function listSegments(folder: string, machine: string, key: string, problems: FileProblem[]): SegmentFile[] {
  const path = join(machineFolder(folder, machine), key);
  if (!attempt(path, problems, () => lstatSync(path))?.isDirectory()) return [];
  const names = attempt(path, problems, () => readdirSync(path)) ?? [];
  const files = names.flatMap((name) => {
    const number = SEGMENT_NAME.exec(name)?.[1];
    return number === undefined ? [] : [{ name, number: Number(number), path: join(path, name) }];
  });
  return files.sort((a, b) => a.number - b.number || (a.name < b.name ? -1 : 1)).slice(0, MAX_SEGMENTS);
}

export function segmentName(number: number, bytes: Buffer): string {
  return `${String(number).padStart(6, "0")}-${hash("sha256", bytes)}.seg`;
}

/** The bytes of a segment; undefined while they are not what its name says, because they have not all arrived. */
export function readSegment(file: SegmentFile, maxBytes: number, problems: FileProblem[]): Buffer | undefined {
  const bytes = readSmallFile(file.path, { maxBytes }, problems);
  return bytes && segmentName(file.number, bytes) === file.name ? bytes : undefined;
}

/** By name; another one when the file changes. */
export function statesOfSegments(files: readonly SegmentFile[]): ReadonlyMap<string, string> {
  return new Map(
    files.map(({ name, path }) => {
      const state = attempt(path, [], () => readState(path));
      return [name, state ? stateKey(state) : ""];
    }),
  );
}

/** Null where there is none. */
export function digestOfStates(states: ReadonlyMap<string, string>): string | null {
  return states.size === 0 ? null : hash("sha1", JSON.stringify([...states]));
}

export function writeShared(path: string, bytes: Buffer): void {
  fileOperation(path, "write", () => {
    makeFolder(join(path, ".."));
    atomicWrite(path, bytes, { newMode: 0o644 });
  });
}

export function removeShared(path: string): void {
  fileOperation(path, "write", () => rmSync(path, { recursive: true, force: true }));
}

/** A shared folder can vanish, fill up or become read-only at any moment. */
function fileOperation<T>(path: string, what: "read" | "write", operation: () => T): T {
  try {
    return operation();
  } catch (error) {
    if (!isFileError(error)) throw error;
    const hint = "what was done before this is kept, and the next sync continues there";
    throw new UserError("unreadable", `cannot ${what} ${path}: ${reasonOf(error)}`, hint, { cause: error });
  }
}
