import { lstatSync, rmdirSync, unlinkSync, utimesSync } from "node:fs";
import { dirname } from "node:path";
import { errorCode, UserError } from "../../errors.js";
import { sessionPaths } from "../../format/layout/session-paths.js";
import { parseLine } from "../../format/reader/parse-line.js";
import { rewriteCwd, rewriteOutputPaths } from "../../format/writer/rewrite-paths.js";
import { atomicWriteChunks } from "../../store/atomic-write.js";
import { makeFolder } from "../../store/make-folder.js";
import { isSameContent, isThere, moveBack } from "../../store/move-file.js";
import { sweepTemporary } from "../../store/temporary.js";
import { editLine, mapLines } from "../write/edited-lines.js";

/** What is moved: the transcript first, then what belongs to it, a folder before what it holds. */
export interface MovedItem {
  readonly path: string;
  readonly to: string;
  readonly kind: "file" | "folder" | "link";
  readonly mode: number;
}

export interface NewCwd {
  readonly from: string;
  readonly to: string;
}

/**
 * Moves a session with its side files. The transcript goes last, so that a move that was cut short is completed by the same
 * command; nothing is overwritten. With a new working directory the transcripts are written anew, else bytes stay.
 */
export async function moveSession(items: readonly MovedItem[], cwd: NewCwd | null): Promise<void> {
  const [transcript, ...besides] = items;
  if (!transcript) return;
  if (isThere(transcript.to) && !isSameContent(transcript.path, transcript.to)) throw occupied(transcript.to);
  makeFolder(dirname(transcript.to));
  for (const folder of new Set(items.map(({ to }) => dirname(to)))) sweepTemporary(folder);
  for (const item of besides) {
    if (item.kind === "folder") makeFolder(item.to, item.mode & 0o777);
    else await moveItem(item);
  }
  for (const { path, kind } of besides.toReversed()) if (kind === "folder") removeEmpty(path);
  await moveItem(transcript);

  async function moveItem({ path, to, kind }: MovedItem): Promise<void> {
    makeFolder(dirname(to));
    if (kind === "file" && cwd && path.endsWith(".jsonl")) await writeAnew(path, to, cwd, transcript);
    else moveBack(path, to);
  }
}

async function writeAnew(path: string, to: string, cwd: NewCwd, transcript: MovedItem | undefined): Promise<void> {
  const { atime, mtime } = lstatSync(path);
  const [before, after] = [sessionPaths(transcript?.path ?? path), sessionPaths(transcript?.to ?? to)];
  const lines = mapLines(path, Number.POSITIVE_INFINITY, (line) =>
    editLine(line, parseLine(line, { abridge: true }), (bytes, { kind }) =>
      kind === "broken" ? bytes : rewriteOutputPaths(rewriteCwd(bytes, cwd.from, cwd.to), before, after),
    ),
  );
  await atomicWriteChunks(to, lines, { overwrite: false });
  utimesSync(to, atime, mtime);
  unlinkSync(path);
}

/** Files that do not belong to the session stay. */
function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    if (!["ENOTEMPTY", "EEXIST", "ENOENT"].includes(errorCode(error) ?? "")) throw error;
  }
}

function occupied(path: string): UserError {
  return new UserError("exists", `${path} is there already`, "move it away first; nothing is overwritten");
}
