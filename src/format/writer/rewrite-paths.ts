import { isFromWindows, type MovedFolder, mapPath } from "../layout/map-path.js";
import { listQuoted } from "../reader/json-members.js";
import { readString } from "../reader/json-scanner.js";
import { replaceSpans, type SpanReplacement } from "./replace-spans.js";

/** Where the spilled output of a session is stored: `<projectDir>/<id>/tool-results/`. */
export interface OutputFolder {
  readonly projectDir: string;
  readonly id: string;
}

const MARKS = ["<persisted-output>", '"persistedOutputPath"'];
/** Between the mark and the path there is one sentence, or nothing. */
const REACH_BYTES = 4096;

/**
 * The bytes of a record with the paths of spilled output changed to where it is now. Other mentions of such a path are
 * text and stay. In a path that was recorded on another machine only the session's id is known and replaced.
 */
export function rewriteOutputPaths(bytes: Buffer, from: OutputFolder, to: OutputFolder): Buffer {
  if (bytes.indexOf("tool-results") < 0) return bytes;
  const replacements: SpanReplacement[] = [];
  for (let at = bytes.indexOf(from.id); at >= 0; at = bytes.indexOf(from.id, at + from.id.length)) {
    const end = at + from.id.length;
    if (!/^(?:\/|\\\\)tool-results/.test(bytes.toString("latin1", end, end + 16)) || !isMarked(bytes, at)) continue;
    const folder = Buffer.from(inJson(from.projectDir));
    const folderStart = at - folder.length - separatorAt(bytes, end);
    const isKnown = folderStart >= 0 && bytes.subarray(folderStart, folderStart + folder.length).equals(folder);
    if (isKnown)
      replacements.push({ start: folderStart, end: folderStart + folder.length, text: inJson(to.projectDir) });
    replacements.push({ start: at, end, text: to.id });
  }
  return replaceSpans(bytes, replacements);
}

function isMarked(bytes: Buffer, at: number): boolean {
  const before = bytes.subarray(Math.max(0, at - REACH_BYTES), at);
  return MARKS.some((mark) => before.lastIndexOf(mark) >= 0);
}

/** A backslash is written as two. */
function separatorAt(bytes: Buffer, at: number): number {
  return bytes[at] === 0x2f ? 1 : 2;
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/**
 * Where Claude Code stores paths and reads them again. On resume: the working directory, worktrees, and the files that calls of Read
 * and Write name (2.0.50 to 2.1.326: only what was read may be edited). On a rewind: the files of a snapshot, some as keys.
 */
const PATH_KEYS: ReadonlySet<string> = new Set([
  ...["cwd", "relocatedCwd", "originalCwd", "preEnterOriginalCwd", "restoredCwd", "worktreePath", "extensionRoot"],
  ...["workingDirectory", "additionalWorkingDirectories", "from", "to", "realParentDir", "directory"],
  ...["file_path", "filePath", "notebook_path", "path", "filename", "filenames", "displayPath", "changedFiles"],
  ...["writtenPaths", "planFilePath", "scriptPath", "transcriptDir", "outputFile"],
]);

/**
 * The bytes of a record with every stored path replaced for which `map` has another one; text of messages and tools stays as
 * it is.
 */
export function rewriteStoredPaths(bytes: Buffer, map: (path: string) => string | undefined): Buffer {
  const replacements: SpanReplacement[] = [];
  for (const { key, start, end, isKey } of listQuoted(bytes, { key: "", start: 0, end: bytes.length })) {
    if (!isKey && !PATH_KEYS.has(key)) continue;
    const mapped = map(readString(bytes, start, end) ?? "");
    if (mapped !== undefined) replacements.push({ start, end, text: JSON.stringify(mapped) });
  }
  return replaceSpans(bytes, replacements);
}

/** The same for folders that have another path now. */
export function rewritePaths(bytes: Buffer, folders: readonly MovedFolder[]): Buffer {
  if (!folders.some((folder) => isFromWindows(folder) || bytes.includes(inJson(folder.from)))) return bytes;
  return rewriteStoredPaths(bytes, (path) => mapPath(path, folders));
}

/** Whether the old path of a folder, or of something in it, occurs anywhere; the new one may begin with it. */
export function stillNames(bytes: Buffer, { from, to }: MovedFolder): boolean {
  const [before, after] = [Buffer.from(inJson(from)), Buffer.from(inJson(to))];
  for (let at = bytes.indexOf(before); at >= 0; at = bytes.indexOf(before, at + 1)) {
    const isNew = bytes.subarray(at, at + after.length).equals(after) && endsNameAt(bytes, at + after.length);
    if (!isNew && beginsNameAt(bytes, at) && endsNameAt(bytes, at + before.length)) return true;
  }
  return false;
}

/** Also after `\n`, whose letter is none of a name. */
function beginsNameAt(bytes: Buffer, at: number): boolean {
  const before = bytes.toString("latin1", Math.max(0, at - 2), at);
  return !/[\w.~\-\x80-\xff]$/.test(before) || /\\[nrtbf]$/.test(before);
}

/** A full stop ends a name where no letter follows. */
function endsNameAt(bytes: Buffer, at: number): boolean {
  return !/^(?:[\w\-\x80-\xff]|\.\w)/.test(bytes.toString("latin1", at, at + 2));
}
