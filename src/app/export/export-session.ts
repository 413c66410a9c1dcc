import { statSync } from "node:fs";
import { extname } from "node:path";
import type { FoundSession } from "../../library/found-session.js";
import { type LoadedSession, type LoadOptions, loadFound } from "../../library/load/load-session.js";
import type { Clean } from "../../redact/create-redactor.js";
import { ALL_TURNS, type ShownSession, showSession } from "../../render/show-session.js";
import { NO_MARKS } from "../../store/user-db.js";
import { chooseView } from "../choose-view.js";
import type { Io } from "../io.js";
import { type OutputFile, type Pieces, writeOutputFile } from "../output-file.js";
import { limitHeapGrowth } from "../small-heap.js";
import type { FormatName, FormatOptions } from "./export-formats.js";
import { apiPieces, copyPieces, redactedLinePieces } from "./export-records.js";
import type { HtmlSource } from "./html-spool.js";
import { sessionJson } from "./show-json.js";
import type { VideoFormat } from "./video-export.js";

export interface ExportOrder {
  readonly format: FormatName;
  readonly options: FormatOptions;
  /** Undefined: nothing is taken out. */
  readonly clean: Clean | undefined;
  readonly settings: LoadOptions;
  /** Where it will be written, as it was named; for hints. */
  readonly output?: string | undefined;
  /** Where repairs and cuts are told. */
  readonly io: Io;
}

/** A session to be exported. */
interface Exported {
  readonly path: string;
  readonly load: () => LoadedSession;
  readonly prices: LoadOptions["prices"];
  readonly clean: Clean | undefined;
  readonly options: FormatOptions;
  readonly output: string | undefined;
  readonly io: Io;
}

interface Writer {
  pieces(exported: Exported): Pieces | Promise<Pieces>;
  /** Where it may also become several files. */
  writeFolder?(folder: OutputFile, exported: Exported): Promise<void>;
}

const WRITERS: Readonly<Record<FormatName, Writer>> = {
  html: {
    pieces: async (exported) => (await import("./html-export.js")).htmlPage(htmlSource(exported), exported.output),
    writeFolder: async (folder, exported) =>
      (await import("./html-export.js")).writeHtmlFolder(folder, htmlSource(exported)),
  },
  md: {
    pieces: async (exported) => (await import("./markdown-pieces.js")).markdownPieces(view(exported), exported.options),
  },
  cast: {
    pieces: async (exported) => (await import("./cast-export.js")).castPieces(view(exported), exported.options),
  },
  mp4: video("mp4"),
  gif: video("gif"),
  jsonl: {
    pieces: ({ path, clean, io }) => (clean ? redactedLinePieces(path, clean, io) : copyPieces(path)),
  },
  json: {
    pieces: ({ load, clean = keep }) => sessionJson(load(), [], { range: ALL_TURNS, clean, withSubagents: true }),
  },
  api: { pieces: ({ load, clean = keep, io }) => apiPieces(load(), clean, io) },
};

/** A session as a file, piece by piece, so that none is too large. */
export function exportPieces(found: FoundSession, order: ExportOrder): Pieces | Promise<Pieces> {
  return WRITERS[order.format].pieces(toExported(found, order));
}

/** Writes one file, or several where a folder is named and the format has them. */
export async function writeExport(found: FoundSession, order: ExportOrder, file: OutputFile): Promise<void> {
  const { writeFolder } = WRITERS[order.format];
  if (writeFolder && isFolderName(file.path)) await writeFolder(file, toExported(found, order));
  else await writeOutputFile(file, await exportPieces(found, order));
}

/** A name that is a folder, or ends like one; of a new file people name the ending, without which no browser opens it. */
function isFolderName(path: string): boolean {
  const existing = statSync(path, { throwIfNoEntry: false });
  return /[\\/]$/.test(path) || (existing ? existing.isDirectory() : extname(path) === "");
}

function toExported(found: FoundSession, { clean, settings, options, output, io }: ExportOrder): Exported {
  limitHeapGrowth();
  const load = () => loadFound(found, { ...settings, marks: titleAlone(found, settings) });
  return { path: found.open(), load, prices: settings.prices, clean, options, output, io };
}

function htmlSource({ load, clean = keep, prices }: Exported): HtmlSource {
  return { load, clean, prices };
}

function video(format: VideoFormat): Writer {
  return {
    pieces: async (exported) =>
      (await import("./video-export.js")).videoPieces(view(exported), exported.options, format, exported.io),
  };
}

/** What people look at: the branch and turns that were asked for. */
function view({ load, clean = keep, prices, options }: Exported): ShownSession {
  const { session, range, deadLeaves } = chooseView(load(), options);
  return showSession(session, { clean, range, prices, deadLeaves });
}

function keep<Value>(value: Value): Value {
  return value;
}

/** Tags and notes are the person's own; a title is what others are meant to see. */
function titleAlone({ id }: FoundSession, { marks }: LoadOptions): LoadOptions["marks"] {
  return new Map([[id, { ...NO_MARKS, title: marks?.get(id)?.title ?? null }]]);
}
