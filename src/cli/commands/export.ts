import type { Command } from "commander";
import { UserError } from "../../errors.js";
import type { FoundSession } from "../../library/found-session.js";
import { type LoadedSession, type LoadOptions, loadFound } from "../../library/load-session.js";
import type { ShownSession } from "../../render/shown-session.js";
import type { PriceTable } from "../../session/cost.js";
import { NO_MARKS } from "../../store/user-db.js";
import { apiPieces } from "../api-pieces.js";
import { chooseSession } from "../choose-session.js";
import { chooseView } from "../choose-view.js";
import type { Clean } from "../clean.js";
import type { CommandContext } from "../command-context.js";
import {
  addFormatOptions,
  type FormatOption,
  type FormatOptions,
  parseFormatOptions,
  refuseOtherOptions,
  type TypedOptions,
} from "../export-options.js";
import type { Io } from "../io.js";
import { copyPieces, redactedLinePieces } from "../line-pieces.js";
import { loadOptions } from "../load-options.js";
import { type Pieces, writeOutputFile } from "../output-file.js";
import { addRedactionOptions, describeRedaction, exportRedactor, type RedactionOptions } from "../redaction.js";
import { type RootOptions, sessionRoots } from "../roots.js";
import { sessionJson } from "../session-json.js";
import { parseTurnRange } from "../show-options.js";
import { toShownSession } from "../shown-session.js";
import type { VideoFormat } from "../video-encoder.js";

interface ExportOptions extends RedactionOptions, RootOptions, TypedOptions {
  readonly format: string;
  readonly output?: string;
  readonly force?: boolean;
}

interface Exported {
  readonly path: string;
  readonly load: () => LoadedSession;
  readonly prices: PriceTable | undefined;
  readonly clean: Clean | undefined;
  readonly options: FormatOptions;
  readonly io: Io;
}

interface Format {
  /** What it can be asked for, beside what every format takes. */
  readonly options: readonly FormatOption[];
  /** No terminal shows it, and no pipe carries it. */
  readonly needsFile?: true;
  pieces(exported: Exported): Pieces | Promise<Pieces>;
}

const RECORDING_OPTIONS: readonly FormatOption[] = [
  ...(["turns", "branch", "tools", "thinking", "depth"] as const),
  ...(["speed", "maxPause", "columns", "rows"] as const),
];

const FORMATS: Readonly<Record<string, Format>> = {
  md: {
    options: ["turns", "branch", "tools", "thinking", "depth"],
    pieces: async (exported) =>
      (await import("../markdown-pieces.js")).markdownPieces(view(exported), exported.options),
  },
  cast: {
    options: RECORDING_OPTIONS,
    pieces: async (exported) => (await import("../cast-pieces.js")).castPieces(view(exported), exported.options),
  },
  mp4: video("mp4"),
  gif: video("gif"),
  jsonl: {
    options: [],
    pieces: ({ path, clean, io }) => (clean ? redactedLinePieces(path, clean, io) : copyPieces(path)),
  },
  json: {
    options: [],
    pieces: ({ load, clean = keep }) =>
      sessionJson(load(), [], { range: parseTurnRange(undefined), clean, withSubagents: true }),
  },
  api: { options: [], pieces: ({ load, clean = keep, io }) => apiPieces(load(), clean, io) },
};

function video(format: VideoFormat): Format {
  return {
    options: RECORDING_OPTIONS,
    needsFile: true,
    pieces: async (exported) =>
      (await import("../video-pieces.js")).videoPieces(view(exported), exported.options, format, exported.io),
  };
}

/** What people look at: the branch and turns that were asked for. */
function view({ load, clean = keep, prices, options }: Exported): ShownSession {
  const { session, range, deadLeaves } = chooseView(load(), options);
  return toShownSession(session, { clean, range, prices, deadLeaves });
}

function keep<Value>(value: Value): Value {
  return value;
}

export function define(command: Command, { io }: CommandContext): void {
  addFormatOptions(addRedactionOptions(command), formatsWith)
    .argument("<session>", "file path, id, unique id prefix, exact title, or `last`")
    .requiredOption("--format <format>", Object.keys(FORMATS).join(", "))
    .option("-o, --output <file>", "into a file instead of standard output")
    .option("--force", "overwrite the file")
    .action(async (name: string, options: ExportOptions) => {
      const format = Object.hasOwn(FORMATS, options.format) ? FORMATS[options.format] : undefined;
      if (!format) throw unknownFormat(options.format);
      refuseOtherOptions(command, options.format, format.options);
      if (format.needsFile && options.output === undefined) throw withoutFile(options.format);
      const formatOptions = parseFormatOptions(options);
      const roots = await sessionRoots(io, options);
      const settings = await loadOptions(io);
      const found = chooseSession(name, roots, io, settings);
      const path = found.open();
      const redactor = options.redact ? await exportRedactor(options, io) : undefined;
      const load = () => loadFound(found, { ...settings, marks: titleAlone(found, settings) });
      const { prices } = settings;
      const pieces = await format.pieces({ path, load, prices, clean: redactor?.json, options: formatOptions, io });
      const { output, force = false } = options;
      if (output !== undefined) await writeOutputFile({ path: output, overwrite: force, source: path, roots }, pieces);
      else for await (const piece of pieces) await io.stdout(piece);
      io.stderr(
        redactor ? describeRedaction(redactor.report()) : "not redacted: secrets, paths and names are in the output\n",
      );
    });
}

function formatsWith(option: FormatOption): string[] {
  return Object.keys(FORMATS).filter((name) => FORMATS[name]?.options.includes(option));
}

/** Tags and notes are the person's own; a title is what others are meant to see. */
function titleAlone({ id }: FoundSession, { marks }: LoadOptions): LoadOptions["marks"] {
  return new Map([[id, { ...NO_MARKS, title: marks?.get(id)?.title ?? null }]]);
}

function withoutFile(format: string): UserError {
  return new UserError("usage", `--format ${format} needs a file`, `name it: -o session.${format}`);
}

function unknownFormat(format: string): UserError {
  return new UserError("usage", `unknown format: ${format}`, `the formats are ${Object.keys(FORMATS).join(", ")}`);
}
