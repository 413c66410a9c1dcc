import { listMembers } from "../reader/json-members.js";
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

/** The bytes of a record with its working directory, if it is `from` or below it, moved to `to`. */
export function rewriteCwd(bytes: Buffer, from: string, to: string): Buffer {
  const replacements = listMembers(bytes)
    .filter(({ key }) => key === "cwd")
    .flatMap(({ start, end }) => {
      const cwd = readString(bytes, start, end) ?? "";
      const isInside = cwd === from || (cwd.startsWith(from) && /^[/\\]/.test(cwd.slice(from.length)));
      return isInside ? [{ start, end, text: JSON.stringify(to + cwd.slice(from.length)) }] : [];
    });
  return replaceSpans(bytes, replacements);
}
