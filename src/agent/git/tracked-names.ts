import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isFileError } from "../../errors.js";
import { type CopiedSettings, usesLongHashes } from "./repository-settings.js";

/**
 * Whether git finds all files that its index names in the work tree: it reads whatever is at these paths, also through `..` and
 * through folders that are links.
 */
export function staysInWorkTree(root: string, gitDir: string, settings: CopiedSettings): boolean {
  const hashBytes = usesLongHashes(settings) ? 32 : 20;
  const files = readdirSync(gitDir).filter((name) => name === "index" || name.startsWith("sharedindex."));
  const folders = new Set<string>();
  for (const file of files) {
    const names = readTrackedNames(readFileSync(join(gitDir, file)), hashBytes);
    if (!names?.every(isPlain)) return false;
    for (const name of names) addFolders(name, folders);
  }
  return [...folders].every((folder) => !isLink(join(root, folder)));
}

/** All above a name, until one that is known. */
function addFolders(name: string, folders: Set<string>): void {
  for (let end = name.lastIndexOf("/"); end > 0; end = name.lastIndexOf("/", end - 1)) {
    const folder = name.slice(0, end);
    if (folders.has(folder)) return;
    folders.add(folder);
  }
}

/** A split index has entries without a name; the name of a folder that is not checked out ends in a slash. */
function isPlain(name: string): boolean {
  if (name === "") return true;
  const parts = name.replace(/\/$/, "").split("/");
  return !name.includes("\uFFFD") && !parts.some((part) => /^(?:\.{0,2}|\.git)$/i.test(part));
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  } catch (error) {
    if (isFileError(error)) return error.code !== "ENOTDIR";
    throw error;
  }
}

const HEADER_BYTES = 12;
/** Times, device, mode, owner and size of an entry; its hash and flags follow. */
const STAT_BYTES = 40;
const IS_EXTENDED = 0x4000;
const NAME_LENGTH = 0xfff;

/** The names in an index of git, of version 2 to 4. Undefined: it is damaged, or of another version. */
export function readTrackedNames(index: Buffer, hashBytes: number): readonly string[] | undefined {
  if (index.length < HEADER_BYTES || index.toString("latin1", 0, 4) !== "DIRC") return undefined;
  const version = index.readUInt32BE(4);
  const count = index.readUInt32BE(8);
  if (version < 2 || version > 4) return undefined;
  const names: string[] = [];
  let last = Buffer.alloc(0);
  for (let at = HEADER_BYTES; names.length < count; ) {
    const flagsAt = at + STAT_BYTES + hashBytes;
    if (flagsAt + 4 > index.length) return undefined;
    const flags = index.readUInt16BE(flagsAt);
    const nameAt = flagsAt + ((flags & IS_EXTENDED) === 0 ? 2 : 4);
    const entry = version === 4 ? readShortened(index, nameAt, last) : readWhole(index, nameAt, at);
    // Git believes the length in the flags, where it fits in them.
    if (!entry || Math.min(entry.name.length, NAME_LENGTH) !== (flags & NAME_LENGTH)) return undefined;
    names.push(entry.name.toString("utf8"));
    last = entry.name;
    at = entry.end;
  }
  return names;
}

interface NamedEntry {
  readonly name: Buffer<ArrayBuffer>;
  /** Where the next entry starts. */
  readonly end: number;
}

/** Entries are filled with one to eight zeros, to a multiple of eight bytes. */
function readWhole(index: Buffer, nameAt: number, entryAt: number): NamedEntry | undefined {
  const zero = index.indexOf(0, nameAt);
  if (zero === -1) return undefined;
  return { name: Buffer.from(index.subarray(nameAt, zero)), end: entryAt + (Math.floor((zero - entryAt) / 8) + 1) * 8 };
}

/** A number says how many bytes of the last name's end are replaced by what follows. */
function readShortened(index: Buffer, numberAt: number, last: Buffer): NamedEntry | undefined {
  let at = numberAt;
  let byte = index[at++] ?? 0;
  let removed = byte & 127;
  while ((byte & 128) !== 0 && at < index.length) {
    byte = index[at++] ?? 0;
    removed = (removed + 1) * 128 + (byte & 127);
  }
  const zero = index.indexOf(0, at);
  if (zero === -1 || removed > last.length) return undefined;
  return { name: Buffer.concat([last.subarray(0, last.length - removed), index.subarray(at, zero)]), end: zero + 1 };
}
