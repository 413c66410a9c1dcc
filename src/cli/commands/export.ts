import type { Command } from "commander";
import { UserError } from "../../errors.js";
import type { FoundSession } from "../../library/found-session.js";
import { type LoadedSession, type LoadOptions, loadFound } from "../../library/load-session.js";
import { NO_MARKS } from "../../store/user-db.js";
import { apiPieces } from "../api-pieces.js";
import { chooseSession } from "../choose-session.js";
import type { Clean } from "../clean.js";
import type { CommandContext } from "../command-context.js";
import type { Io } from "../io.js";
import { copyPieces, redactedLinePieces } from "../line-pieces.js";
import { loadOptions } from "../load-options.js";
import { type OutputFile, writeOutputFile } from "../output-file.js";
import { addRedactionOptions, describeRedaction, exportRedactor, type RedactionOptions } from "../redaction.js";
import { type RootOptions, sessionRoots } from "../roots.js";
import { sessionJson } from "../session-json.js";
import { parseTurnRange } from "../show-options.js";

interface ExportOptions extends RedactionOptions, RootOptions {
  readonly format: string;
  readonly output?: string;
  readonly force?: boolean;
}

type Piece = string | Uint8Array;

interface Exported {
  readonly path: string;
  readonly load: () => LoadedSession;
  readonly clean: Clean | undefined;
  readonly prices: LoadOptions["prices"];
  readonly output: string | undefined;
  readonly io: Io;
}

const FORMATS: Readonly<Record<string, (exported: Exported) => Iterable<Piece> | AsyncIterable<Piece>>> = {
  jsonl: ({ path, clean, io }) => (clean ? redactedLinePieces(path, clean, io) : copyPieces(path)),
  json: ({ load, clean = keep }) =>
    sessionJson(load(), [], { range: parseTurnRange(undefined), clean, withSubagents: true }),
  api: ({ load, clean = keep, io }) => apiPieces(load(), clean, io),
  html: htmlPieces,
};

/** Loads what paints pages for this format alone. */
async function* htmlPieces({ load, clean = keep, prices, output }: Exported): AsyncGenerator<Piece> {
  const { htmlPage } = await import("../html-page.js");
  yield* htmlPage({ load, clean, prices }, output);
}

function keep<Value>(value: Value): Value {
  return value;
}

export function define(command: Command, { io }: CommandContext): void {
  addRedactionOptions(command)
    .argument("<session>", "file path, id, unique id prefix, exact title, or `last`")
    .requiredOption("--format <format>", Object.keys(FORMATS).join(", "))
    .option("-o, --output <file>", "into a file instead of standard output; html also into a folder/")
    .option("--force", "overwrite the file")
    .action(async (name: string, options: ExportOptions) => {
      const toPieces = Object.hasOwn(FORMATS, options.format) ? FORMATS[options.format] : undefined;
      if (!toPieces) throw unknownFormat(options.format);
      const roots = await sessionRoots(io, options);
      const settings = await loadOptions(io);
      const found = chooseSession(name, roots, io, settings);
      const path = found.open();
      const redactor = options.redact ? await exportRedactor(options, io) : undefined;
      const load = () => loadFound(found, { ...settings, marks: titleAlone(found, settings) });
      const { output, force = false } = options;
      const exported = { path, load, clean: redactor?.json, prices: settings.prices, output, io };
      const pieces = toPieces(exported);
      const file = output === undefined ? undefined : { path: output, overwrite: force, source: path, roots };
      if (!file) for await (const piece of pieces) await io.stdout(piece);
      else if (!(options.format === "html" && (await wroteFolder(file, exported)))) await writeOutputFile(file, pieces);
      io.stderr(
        redactor ? describeRedaction(redactor.report()) : "not redacted: secrets, paths and names are in the output\n",
      );
    });
}

/** Pages may go into a folder. */
async function wroteFolder(file: OutputFile, { load, clean = keep, prices }: Exported): Promise<boolean> {
  const { isFolderName, writeHtmlFolder } = await import("../html-folder.js");
  if (!isFolderName(file.path)) return false;
  await writeHtmlFolder(file, { load, clean, prices });
  return true;
}

/** Tags and notes are the person's own; a title is what others are meant to see. */
function titleAlone({ id }: FoundSession, { marks }: LoadOptions): LoadOptions["marks"] {
  return new Map([[id, { ...NO_MARKS, title: marks?.get(id)?.title ?? null }]]);
}

function unknownFormat(format: string): UserError {
  return new UserError("usage", `unknown format: ${format}`, `the formats are ${Object.keys(FORMATS).join(", ")}`);
}
