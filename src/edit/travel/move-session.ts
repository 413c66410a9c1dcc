import { lstatSync, rmdirSync, utimesSync } from "node:fs";
import { dirname } from "node:path";
import { errorCode, UserError } from "../../errors.js";
import type { MovedFolder } from "../../format/layout/map-path.js";
import { sessionPaths } from "../../format/layout/session-paths.js";
import { atomicWriteChunks } from "../../store/atomic-write.js";
import { makeFolder } from "../../store/make-folder.js";
import { isSameContent, isThere, moveBack } from "../../store/move-file.js";
import { sweepTemporary } from "../../store/temporary.js";
import { mappedFile, PathMap, type RewrittenLines } from "./map-paths.js";

/** What is moved: the transcript first, then what belongs to it, a folder before what it holds. */
export interface MovedItem {
  readonly path: string;
  readonly to: string;
  readonly kind: "file" | "folder" | "link";
  readonly mode: number;
}

export type NewCwd = MovedFolder;

/**
 * Moves a session with its side files. The transcript goes last, so that a move that was cut short is completed by the same
 * command; nothing is overwritten. With a new working directory paths are rewritten first, in place, else bytes stay.
 */
export async function moveSession(items: readonly MovedItem[], cwd: NewCwd | null): Promise<RewrittenLines> {
  const [transcript, ...besides] = items;
  if (!transcript) return NOTHING;
  if (isThere(transcript.to) && !isSameContent(transcript.path, transcript.to)) throw occupied(transcript.to);
  const lines = cwd ? await rewriteFiles(items, cwd) : NOTHING;
  makeFolder(dirname(transcript.to));
  for (const folder of new Set(items.map(({ to }) => dirname(to)))) sweepTemporary(folder);
  for (const item of besides) {
    if (item.kind === "folder") makeFolder(item.to, item.mode & 0o777);
    else moveItem(item);
  }
  for (const { path, kind } of besides.toReversed()) if (kind === "folder") removeEmpty(path);
  moveItem(transcript);
  return lines;
}

const NOTHING: RewrittenLines = { rewritten: 0, left: 0 };

function moveItem({ path, to }: MovedItem): void {
  makeFolder(dirname(to));
  moveBack(path, to);
}

/** What rewriting would do; nothing is written. */
export function previewRewrite(items: readonly MovedItem[], cwd: NewCwd): RewrittenLines {
  const map = mapOf(items, cwd);
  for (const { path } of listRewritten(items)) for (const _ of mappedFile(path, map));
  return map.counts;
}

/** Sub-agents before the transcript: as long as that names the old folder, the same command finds it again. */
async function rewriteFiles(items: readonly MovedItem[], cwd: NewCwd): Promise<RewrittenLines> {
  const map = mapOf(items, cwd);
  const draftsIn = dirname(items[0]?.path ?? ""); // what a killed process leaves there is found by every start
  for (const { path } of listRewritten(items).toReversed()) {
    const { atime, mtime, size } = lstatSync(path);
    const before = map.counts.rewritten;
    for (const _ of mappedFile(path, map));
    if (map.counts.rewritten === before) continue;
    await atomicWriteChunks(path, unlessGrown(path, size, mappedFile(path, mapOf(items, cwd))), { draftsIn });
    utimesSync(path, atime, mtime);
  }
  return map.counts;
}

/** Transcripts and what Claude Code notes on agents and workflows; output of tools stays. */
function listRewritten(items: readonly MovedItem[]): readonly MovedItem[] {
  const outputs = items[0] && sessionPaths(items[0].path).toolResultsDir;
  return items.filter(({ path, kind }) => kind === "file" && /\.jsonl?$/.test(path) && dirname(path) !== outputs);
}

function mapOf([transcript]: readonly MovedItem[], { from, to }: NewCwd): PathMap {
  const place = (path = "", project = "") => ({ path, folders: { project } });
  return new PathMap(place(transcript?.path, from), place(transcript?.to, to));
}

function* unlessGrown(path: string, size: number, lines: Iterable<Buffer>): Generator<Buffer> {
  yield* lines;
  if (lstatSync(path).size === size) return;
  throw new UserError("busy", `${path} was written to while it was moved`, "end Claude Code first, then move it again");
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
