import { chooseSessionOrDemo } from "../../app/choose-session.js";
import { diffPieces } from "../../app/files-diff.js";
import { loadOptions } from "../../app/load-options.js";
import { maskingRedactor, NO_REDACTION } from "../../app/redaction.js";
import { restoreFile } from "../../app/restore-file.js";
import { type RootOptions, sessionRoots } from "../../app/session-roots.js";
import { UserError } from "../../errors.js";
import { loadFound } from "../../library/load/load-session.js";
import { listPerhaps, listTouchedFiles, listUnrecorded, type TouchedFiles } from "../../library/load/touched-files.js";
import type { Clean } from "../../redact/create-redactor.js";
import { formatCount } from "../../render/format-values.js";
import { neutralize } from "../../render/safe-text.js";
import { paintFileList } from "../../render/terminal/lists/file-list.js";
import { paintDiff } from "../../render/terminal/paint-diff.js";
import { createStyle } from "../../render/terminal/style.js";
import { sumFiles } from "../../session/file-history/file-touches.js";
import type { Io } from "../io.js";
import { isColoured } from "../terminal/is-coloured.js";
import { printedJson } from "../terminal/printed-json.js";

export interface FilesOptions extends RootOptions {
  readonly diff?: boolean;
  readonly restore?: string;
  readonly at?: string;
  readonly to?: string;
  readonly force?: boolean;
  readonly reveal?: boolean;
  readonly json?: boolean;
}

/** Prints the files a session touched, a diff of all changes, or one file as it was. */
export async function writeFiles(name: string, options: FilesOptions, io: Io): Promise<void> {
  rejectUnusedOptions(options);
  const load = await loadOptions(io);
  const found = await chooseSessionOrDemo(name, options, io, load);
  const files = listTouchedFiles(loadFound(found, load));
  if (options.restore !== undefined) return restore(files, options.restore, options, io);
  const { json: clean } = options.reveal ? NO_REDACTION : await maskingRedactor(io);
  if (options.diff) return writeDiff(files, clean, io);
  await io.stdout(options.json ? toJson(files, clean, io) : toText(files, clean, io));
}

/** An option without effect is a misunderstanding. */
function rejectUnusedOptions({ restore, at, to, force }: FilesOptions): void {
  const unused = [at === undefined ? "" : "--at", to === undefined ? "" : "--to", force ? "--force" : ""].find(Boolean);
  if (restore !== undefined || unused === undefined) return;
  throw new UserError("usage", `${unused} needs --restore`, "add --restore <path>");
}

async function restore(files: TouchedFiles, path: string, options: FilesOptions, io: Io): Promise<void> {
  const turn = chooseTurn(options.at, files.session.outline.turns.length);
  const roots = await sessionRoots(io, options);
  const request = { path, turn, to: options.to, force: options.force ?? false, roots };
  const restored = await restoreFile(files, request, io);
  if (!restored.isWritten) await io.stdout(io.isTerminal ? neutralize(restored.content) : restored.content);
  io.stderr(neutralize(describeRestored(restored.path, turn, restored.doubts)));
}

function describeRestored(path: string, turn: number, doubts: readonly string[]): string {
  const head = `${path} at the end of turn ${turn}:`;
  if (doubts.length === 0) return `${head} exact\n`;
  return `${head} reconstructed, with gaps\n${doubts.map((doubt) => `  ${doubt}\n`).join("")}`;
}

function chooseTurn(text: string | undefined, turns: number): number {
  if (text === undefined) return turns;
  if (!/^\d+$/.test(text))
    throw new UserError("usage", `--at must be the number of a turn, not "${text}"`, "for example --at 3");
  const turn = Number(text);
  if (turn <= turns) return turn;
  throw new UserError("not-found", `there is no turn ${turn}`, `the session has ${formatCount(turns, "turn")}`);
}

async function writeDiff(files: TouchedFiles, clean: Clean, io: Io): Promise<void> {
  const style = createStyle(isColoured(io));
  const note = (text: string) => io.stderr(neutralize(`# ${text}\n`));
  for (const piece of diffPieces(files, { clean, note })) {
    await io.stdout(io.isTerminal ? paintDiff(piece, style) : piece);
  }
}

function toText(files: TouchedFiles, clean: Clean, io: Io): string {
  const layout = { columns: io.columns, style: createStyle(isColoured(io)) };
  const summaries = clean(sumFiles(files.touches, files.cwd), "files");
  return paintFileList(summaries, clean(listPerhaps(files), "files"), clean(listUnrecorded(files), "files"), layout);
}

function toJson(files: TouchedFiles, clean: Clean, io: Io): string {
  const { session, cwd, touches } = files;
  const { id, path } = session.header;
  const json = {
    session: { id, path, cwd },
    files: sumFiles(touches, cwd),
    perhaps: listPerhaps(files),
    unrecorded: listUnrecorded(files),
  };
  return printedJson(clean(json, "files"), io);
}
