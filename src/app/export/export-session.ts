import { statSync } from "node:fs";
import { extname } from "node:path";
import { learnSession } from "../../edit/write/redact-file.js";
import type { FoundSession } from "../../library/found-session.js";
import { type LoadedSession, type LoadOptions, loadFound } from "../../library/load/load-session.js";
import type { Redactor } from "../../redact/create-redactor.js";
import { ALL_TURNS, type ShownSession, showSession } from "../../render/show-session.js";
import { NO_MARKS } from "../../store/user-db.js";
import { chooseView } from "../choose-view.js";
import { type OutputFile, type Pieces, writeOutputFile } from "../output-file.js";
import { NO_REDACTION } from "../redaction.js";
import type { Environment } from "../settings.js";
import { limitHeapGrowth } from "../small-heap.js";
import type { FormatName, FormatOptions } from "./export-formats.js";
import { apiPieces, copyPieces, redactedLinePieces } from "./export-records.js";
import type { HtmlSource } from "./html-spool.js";
import { sessionJson } from "./show-json.js";
import type { VideoFormat } from "./video-export.js";

export interface ExportRequest {
  readonly format: FormatName;
  readonly options: FormatOptions;
  /** Undefined: nothing is redacted. */
  readonly redactor: Pick<Redactor, "json" | "stringify" | "learn"> | undefined;
  readonly settings: LoadOptions;
  /** The output file as the user named it, for hints. */
  readonly output?: string | undefined;
  readonly environment: Environment;
  /** Takes notes about repairs and cuts. */
  readonly onNote: (note: string) => void;
  /** For formats that take long: seconds recorded so far. */
  readonly onProgress?: (seconds: number) => void;
  /** Stops an export that takes long. */
  readonly signal?: AbortSignal;
}

/** A session to be exported. */
interface Exported extends ExportRequest {
  readonly path: string;
  readonly load: () => LoadedSession;
}

interface Writer {
  pieces(exported: Exported): Pieces | Promise<Pieces>;
  /** For formats that can also be several files. */
  writeFolder?(folder: OutputFile, exported: Exported): Promise<void>;
}

const WRITERS: Readonly<Record<FormatName, Writer>> = {
  html: {
    pieces: async (exported) => (await import("./html-export.js")).htmlPage(htmlSource(exported), exported.output),
    writeFolder: async (folder, exported) =>
      (await import("./html-export.js")).writeHtmlFolder(folder, htmlSource(exported)),
  },
  md: {
    pieces: async (exported) => {
      const { tools = "full", thinking, pictures, depth = Number.POSITIVE_INFINITY, turns } = exported.options;
      const { sessionMarkdown } = await import("../../render/markdown/session-markdown.js");
      return sessionMarkdown(view(exported), { tools, thinking, pictures, depth, isWhole: turns === undefined });
    },
  },
  cast: {
    pieces: async (exported) => (await import("./cast-export.js")).castPieces(view(exported), exported.options),
  },
  mp4: video("mp4"),
  gif: video("gif"),
  jsonl: {
    pieces: ({ path, redactor, onNote }) =>
      redactor ? redactedLinePieces(path, redactor.json, onNote) : copyPieces(path),
  },
  json: {
    pieces: ({ load, redactor = NO_REDACTION }) =>
      sessionJson(load(), [], { range: ALL_TURNS, stringify: redactor.stringify, withSubagents: true }),
  },
  api: { pieces: ({ load, redactor = NO_REDACTION, onNote }) => apiPieces(load(), redactor.stringify, onNote) },
};

/** The content of the export, piece by piece, so that no session is too large. */
export function exportPieces(found: FoundSession, request: ExportRequest): Pieces | Promise<Pieces> {
  return WRITERS[request.format].pieces(toExported(found, request));
}

/** Writes one file, or a folder of files if the format has them and `file` names a folder. */
export async function writeExport(found: FoundSession, request: ExportRequest, file: OutputFile): Promise<void> {
  const { writeFolder } = WRITERS[request.format];
  if (writeFolder && isFolderName(file.path)) await writeFolder(file, toExported(found, request));
  else await writeOutputFile(file, await exportPieces(found, request));
}

/** A folder, or a name that ends in a slash or has no extension. */
function isFolderName(path: string): boolean {
  const existing = statSync(path, { throwIfNoEntry: false });
  return /[\\/]$/.test(path) || (existing ? existing.isDirectory() : extname(path) === "");
}

function toExported(found: FoundSession, request: ExportRequest): Exported {
  limitHeapGrowth();
  const { settings } = request;
  const load = () => loadFound(found, { ...settings, marks: titleAlone(found, settings), readsAllTurns: true });
  const path = found.open();
  if (request.redactor) learnSession(path, request.redactor.learn);
  return { ...request, path, load };
}

function htmlSource({ load, redactor = NO_REDACTION, settings: { prices } }: Exported): HtmlSource {
  return { load, clean: redactor.json, prices };
}

function video(format: VideoFormat): Writer {
  return {
    pieces: async (exported) => (await import("./video-export.js")).videoPieces(view(exported), format, exported),
  };
}

/** The branch and turns to show. */
function view({ load, redactor = NO_REDACTION, settings: { prices }, options }: Exported): ShownSession {
  const { session, range, deadLeaves } = chooseView(load(), options);
  return showSession(session, { clean: redactor.json, range, prices, deadLeaves });
}

/** Tags and notes are private and stay out of exports; the title is included. */
function titleAlone({ id }: FoundSession, { marks }: LoadOptions): LoadOptions["marks"] {
  return new Map([[id, { ...NO_MARKS, title: marks?.get(id)?.title ?? null }]]);
}
