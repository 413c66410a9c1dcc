import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { errorCode, isFileError, reasonOf } from "../../../errors.js";
import { isOneFile } from "../../../format/identity/file-identity.js";
import { atomicWrite } from "../../../store/atomic-write.js";
import { makeFolder } from "../../../store/make-folder.js";
import { ToolError } from "../tool.js";
import type { ToolContext } from "../tool-context.js";

/*
 * No race between check and use: the path that was judged is the path that is used. It has no links in it. A file is opened once,
 * what was opened is compared with the judged path, and everything else goes through the descriptor. A program that replaces a file
 * or folder by a link in the meantime makes the call fail, and cannot lead it out of the project.
 */

type Kind = "a file" | "a folder" | "a link" | "not a regular file" | "gone";

/** What a call named, as it was when the call was judged. */
export interface JudgedPlace {
  /** With links resolved. */
  readonly path: string;
  readonly named: string;
  readonly kind: Kind;
}

const judgedPlaces = new WeakMap<ToolContext, Map<string, JudgedPlace>>();

/** The first time a call asks for a name decides for the whole call. */
export function placeOf(context: ToolContext, name: string): JudgedPlace {
  const places = judgedPlaces.get(context) ?? new Map<string, JudgedPlace>();
  judgedPlaces.set(context, places);
  const known = places.get(name);
  if (known) return known;
  const { path, named } = context.workspace.place(name);
  const place = { path, named, kind: kindAt(path) };
  places.set(name, place);
  return place;
}

/** For the permission rules. */
export function pathsOf(context: ToolContext, name: string): Pick<JudgedPlace, "path" | "named"> {
  const { path, named } = placeOf(context, name);
  return { path, named };
}

function kindAt(path: string): Kind {
  try {
    return kindOf(lstatSync(path));
  } catch (error) {
    if (isFileError(error)) return "gone"; // what may not be looked at fails when it is opened
    throw error;
  }
}

function kindOf(stats: Stats): Kind {
  if (stats.isFile()) return "a file";
  if (stats.isDirectory()) return "a folder";
  return stats.isSymbolicLink() ? "a link" : "not a regular file";
}

/** An open file that is the judged one. */
export class JudgedFile {
  constructor(
    readonly path: string,
    readonly descriptor: number,
    readonly stats: Stats,
  ) {}

  /** All of it; can be called once. */
  readAll(): Buffer {
    return readFileSync(this.descriptor);
  }

  readHead(bytes: number): Buffer {
    const head = Buffer.alloc(bytes);
    return head.subarray(0, readSync(this.descriptor, head, 0, bytes, 0));
  }

  /** Whether it still has the judged path. */
  get isInPlace(): boolean {
    return isAt(this.descriptor, this.path);
  }

  close(): void {
    closeSync(this.descriptor);
  }
}

/** Opens what was judged. Undefined: there is nothing, and there was nothing. */
export function openJudged({ path, kind }: JudgedPlace): JudgedFile | undefined {
  const descriptor = openUnfollowed(path, constants.O_RDONLY | NONBLOCK);
  if (descriptor === undefined && kind === "gone") return undefined;
  if (descriptor === undefined) throw changed(path, "gone");
  try {
    const stats = fstatSync(descriptor);
    if (kindOf(stats) !== kind) throw changed(path, kindOf(stats));
    if (!isAt(descriptor, path)) throw changed(path, "a link");
    return new JudgedFile(path, descriptor, stats);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** Opening a pipe must not wait. Windows knows neither. */
const NONBLOCK = constants.O_NONBLOCK ?? 0;
const NOFOLLOW = constants.O_NOFOLLOW ?? 0;

/** Undefined: there is nothing. */
function openUnfollowed(path: string, flags: number): number | undefined {
  try {
    return openSync(path, flags | NOFOLLOW);
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || (code === "ENOTDIR" && flags !== FOLDER)) return undefined;
    if (code === "ELOOP" || code === "EMLINK") throw changed(path, "a link");
    if (code === "ENOTDIR") throw changed(path, kindAt(path));
    if (code === "ENXIO") throw new ToolError(`${path} is not a regular file.`);
    throw error;
  }
}

/** Whether an open file or folder is the one at a path without links. */
function isAt(descriptor: number, path: string): boolean {
  const opened = process.platform === "linux" ? linkAt(`/proc/self/fd/${descriptor}`) : undefined;
  if (opened !== undefined) return opened === path;
  const now = lstatSync(path, { throwIfNoEntry: false });
  return now !== undefined && realpathSync(path) === path && isOneFile(now, fstatSync(descriptor));
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (isFileError(error)) return undefined; // no /proc
    throw error;
  }
}

export function changed(path: string, now: Kind): ToolError {
  const what = now === "a link" ? "it, or a folder of its path, is now a link or elsewhere" : `it is now ${now}`;
  return new ToolError(`${path} changed since the call was judged: ${what}. Nothing was done; look at it again.`);
}

/** Replaces or creates the judged file, in its folder as it was judged. */
export function writeJudged(
  { path, kind }: JudgedPlace,
  text: string,
  noteSeen: (path: string, descriptor: number) => void,
): void {
  const write = (folder: string) => {
    const target = join(folder, basename(path));
    const now = kindAt(target);
    if (now !== kind) throw changed(path, now);
    atomicWrite(target, text, { newMode: 0o666, followsLinks: false });
    const written = openUnfollowed(target, constants.O_RDONLY | NONBLOCK);
    if (written === undefined) return;
    noteSeen(path, written);
    closeSync(written);
  };
  try {
    inFolder(dirname(path), write);
  } catch (error) {
    throw isFileError(error) ? new ToolError(`${path} cannot be written: ${reasonOf(error)}`) : error;
  }
}

function inFolder(path: string, write: (folder: string) => void): void {
  if (process.platform === "win32") {
    makeFolder(path, 0o777); // Windows cannot open folders
    write(path);
    return;
  }
  const folder = openFolder(path);
  try {
    write(pathBy(folder, path));
    if (!isAt(folder, path)) throw new ToolError(`${path} was moved or replaced during the change; look at it again.`);
  } finally {
    closeSync(folder);
  }
}

/** Names below this path are looked up in the open folder itself, whatever its own path leads to by now. Linux only. */
function pathBy(descriptor: number, path: string): string {
  return process.platform === "linux" && linkAt(`/proc/self/fd/${descriptor}`) !== undefined
    ? `/proc/self/fd/${descriptor}`
    : path;
}

/** Creates what is missing. */
function openFolder(path: string): number {
  const opened = openUnfollowed(path, FOLDER);
  if (opened === undefined) return createFolder(path);
  if (isAt(opened, path)) return opened;
  closeSync(opened);
  throw changed(path, "a link");
}

const FOLDER = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0);

function createFolder(path: string): number {
  const above = openFolder(dirname(path));
  try {
    const place = join(pathBy(above, dirname(path)), basename(path));
    mkdirSync(place, { mode: 0o777 });
    const created = openUnfollowed(place, FOLDER);
    if (created === undefined) throw changed(path, "gone");
    return created;
  } finally {
    closeSync(above);
  }
}
