import { existsSync } from "node:fs";
import { basename, dirname } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { UserError } from "../../errors.js";
import { compareFile, readKnownFile } from "../../format/identity/file-identity.js";
import { sessionPaths, subagentsDirOf } from "../../format/layout/session-paths.js";
import { parseLine } from "../../format/reader/parse-line.js";
import { readChunks } from "../../format/reader/record-reader.js";
import type { Clean } from "../../redact/create-redactor.js";
import { atomicWriteChunks } from "../../store/atomic-write.js";
import { makeFolder } from "../../store/make-folder.js";
import type { EditPlan } from "../plans/edit-plan.js";
import { isSourceLink } from "../plans/source-links.js";
import { editedLines, editLine, mapLines, type RewriteRecord, recordRewriter, requireSources } from "./edited-lines.js";
import { HiddenFolder, inLargePieces, publishSession } from "./publish-session.js";
import { redactLines, redactTextFile } from "./redact-file.js";
import { listSideFiles, type SideFile, type SideFiles } from "./side-files.js";

/** Where a new session is written. */
export interface EditTarget {
  /** Of its transcript. */
  readonly path: string;
  /** Claude Code's folder, for backups of edited files; null: they are not copied. */
  readonly configRoot: string | null;
}

export interface WrittenEdit {
  readonly path: string;
  readonly sideFiles: number;
  /** What was added to the source after the plan was made; it is not in the new session. */
  readonly addedBytes: number;
}

/**
 * Writes a planned session as a whole or not at all. Side files are made in hidden folders and get their names when the
 * transcript is complete; the transcript gets its own last, so that Claude Code never finds a part of a session.
 */
export async function writeEdit(plan: EditPlan, target: EditTarget): Promise<WrittenEdit> {
  const { sideDir, projectDir, fileHistoryDir } = sessionPaths(target.path);
  refuseExisting(target.path);
  requireSources(plan);
  const sideFiles = listSideFiles(plan.source.path);
  const { fileHistory: history } = sideFiles;
  const besides = copiedFiles(plan, sideFiles);
  const rewrite = recordRewriter(plan, { projectDir, id: basename(sideDir) }, sideFiles);
  const backups = target.configRoot === null || plan.cleaning ? [] : history;
  makeFolder(projectDir);
  const folders = [
    new HiddenFolder(sideDir, besides),
    new HiddenFolder(fileHistoryDir(target.configRoot ?? projectDir), backups),
  ];
  try {
    for (const folder of folders) {
      await folder.fill((file, path) => copySteadily(file, () => copySideFile(file, path, plan, rewrite)));
    }
    const addedBytes = await writeTranscript(target.path, plan, rewrite, folders);
    return { path: target.path, sideFiles: besides.length + backups.length, addedBytes };
  } catch (error) {
    for (const folder of folders) folder.remove();
    requireSources(plan); // what a rewritten source leads to is not worth telling
    throw error;
  }
}

/** Makes everything that `writeEdit` would write, and writes nothing. What is redacted is known only then. */
export async function rehearseEdit(plan: EditPlan): Promise<void> {
  requireSources(plan);
  const sideFiles = listSideFiles(plan.source.path);
  const rewrite = recordRewriter(plan, undefined, sideFiles);
  for (const file of copiedFiles(plan, sideFiles)) await drain(sideFileContent(file, plan, rewrite) ?? []);
  await drain(editedLines(plan, rewrite));
}

/** Others may work in between. */
async function drain(pieces: Iterable<Uint8Array>): Promise<void> {
  let bytes = 0;
  for (const piece of pieces) {
    bytes += piece.length;
    if (bytes < PIECE_BYTES) continue;
    bytes = 0;
    await nextTurn();
  }
}

function copiedFiles({ leavesSubagents }: EditPlan, { sideFolder }: SideFiles): readonly SideFile[] {
  return sideFolder.filter(({ name }) => !(leavesSubagents && isSubagents(name)));
}

/** Returns what was added to the source since the plan. */
async function writeTranscript(
  path: string,
  plan: EditPlan,
  rewrite: RewriteRecord,
  folders: readonly HiddenFolder[],
): Promise<number> {
  let addedBytes = 0;
  await publishSession(path, inLargePieces(editedLines(plan, rewrite)), folders, () => {
    addedBytes = requireSources(plan);
  });
  return addedBytes;
}

/** Transcripts of sub-agents and their metadata. */
function isSubagents(name: string): boolean {
  return dirname(name) === subagentsDirOf("");
}

function refuseExisting(path: string): void {
  const taken = [path, sessionPaths(path).sideDir].find(existsSync);
  if (taken === undefined) return;
  throw new UserError("exists", `${taken} already exists`, "Choose another name; nothing is overwritten.");
}

const PIECE_BYTES = 1024 * 1024;

/** A sub-agent may go on while it is copied, but must not be rewritten. */
async function copySteadily({ path }: SideFile, copy: () => Promise<void>): Promise<void> {
  const before = readKnownFile(path);
  await copy();
  const change = before ? compareFile(path, before) : "gone";
  if (change === "same" || change === "grown") return;
  throw new UserError(
    "busy",
    `${path} was rewritten while it was copied`,
    "nothing was written; run the command again",
  );
}

async function copySideFile(file: SideFile, path: string, plan: EditPlan, rewrite: RewriteRecord): Promise<void> {
  const content = sideFileContent(file, plan, rewrite);
  if (content) await atomicWriteChunks(path, content, { overwrite: false });
}

/**
 * Sub-agents get new ids as the session does, the title is the new one, everything else is copied. Undefined: it is left out,
 * because binary files cannot be redacted.
 */
function sideFileContent(
  { path, kind }: SideFile,
  { cleaning, title }: EditPlan,
  rewrite: RewriteRecord,
): Iterable<Uint8Array> | undefined {
  if (kind === "subagent") return rewrittenLines(path, rewrite);
  if (kind === "title" && title !== null) return [Buffer.from(JSON.stringify({ customTitle: title }))];
  if (!cleaning) return readChunks(path);
  if (path.endsWith(".jsonl")) return redactedBytes(path, cleaning.clean);
  const text = redactTextFile(path, cleaning.clean);
  return text === undefined ? undefined : [Buffer.from(text)];
}

function* redactedBytes(path: string, clean: Clean): Generator<Uint8Array> {
  for (const { bytes } of redactLines(path, clean)) yield bytes;
}

function rewrittenLines(path: string, rewrite: RewriteRecord): Generator<Buffer> {
  return mapLines(path, Number.POSITIVE_INFINITY, (line) =>
    editLine(line, parseLine(line, { abridge: true }), (bytes, record) =>
      isSourceLink(record) ? undefined : rewrite(bytes, record),
    ),
  );
}
