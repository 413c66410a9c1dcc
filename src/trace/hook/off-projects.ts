import { basename, dirname, sep } from "node:path";
import { stringAt, tryParseJson } from "../../format/json.js";
import { projectSlugs } from "../../format/layout/session-paths.js";
import { readEdge } from "../../format/layout/small-file.js";

/** Where tracing is switched off. */
export interface SwitchedOff {
  readonly isOff?: boolean | undefined; // everywhere
  readonly off?: readonly string[] | undefined; // folders of projects
}

const HEAD_BYTES = 64 * 1024;

/** Whether a session belongs to a project of which nothing is sent, or to a folder inside of it. */
export function isSwitchedOff(
  { isOff = false, off = [] }: SwitchedOff,
  transcript: string,
  cwd?: string | null,
): boolean {
  if (isOff || off.length === 0) return isOff;
  const slug = basename(dirname(transcript));
  if (off.some((folder) => projectSlugs(folder).includes(slug))) return true;
  const folderOf = cwd ?? cwdOf(transcript);
  return folderOf !== undefined && off.some((folder) => isInside(folderOf, folder));
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

function cwdOf(transcript: string): string | undefined {
  const head = Buffer.from(readEdge(transcript, "head", HEAD_BYTES), "latin1").toString("utf8");
  const lines = head.split("\n");
  return lines.map((line) => stringAt(tryParseJson(line), "cwd")).find((cwd) => cwd !== undefined);
}
