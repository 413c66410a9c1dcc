import type { Command } from "commander";
import { chooseSession } from "../../app/choose-session.js";
import { describeFormat, type FormatName, parseFormat } from "../../app/export/export-formats.js";
import { type ExportRequest, exportPieces, writeExport } from "../../app/export/export-session.js";
import { loadOptions, withKnownCosts } from "../../app/load-options.js";
import { exportRedactor, type RedactionOptions } from "../../app/redaction.js";
import { type RootOptions, sessionRoots } from "../../app/session-roots.js";
import { UserError } from "../../errors.js";
import type { Io } from "../io.js";
import { type FormatFlags, parseFormatFlags, rejectOtherOptions } from "../options/export-options.js";
import { harmlessJson } from "../terminal/printed-json.js";
import { describeRedaction } from "./redaction-report.js";

export interface ExportOptions extends RedactionOptions, RootOptions, FormatFlags {
  readonly format: string;
  readonly output?: string;
  readonly force?: boolean;
}

/** Writes a session to a file, a folder or standard output, and reports what was redacted. */
export async function writeExported(
  name: string,
  options: ExportOptions,
  { command, io }: { readonly command: Command; readonly io: Io },
): Promise<void> {
  const { output, force = false } = options;
  const format = parseFormat(options.format);
  const { options: taken, needsFile } = describeFormat(format);
  rejectOtherOptions(command, format, taken);
  if (needsFile && output === undefined) {
    throw new UserError("usage", `--format ${format} needs a file`, `add -o session.${format}`);
  }
  const formatOptions = parseFormatFlags(options);
  const roots = await sessionRoots(io, options);
  const settings = await withKnownCosts(await loadOptions(io), options, io);
  const found = chooseSession(name, roots, io, settings);
  const redactor = options.redact ? await exportRedactor(options, io) : undefined;
  await withProgress(io, needsFile ?? false, async (control) => {
    const request: ExportRequest = {
      format,
      options: formatOptions,
      redactor,
      settings,
      output,
      environment: io,
      onNote: (note) => io.stderr(`${note}\n`),
      ...control,
    };
    if (output === undefined)
      for await (const piece of await exportPieces(found, request)) await io.stdout(toPrinted(piece, format, io));
    else await writeExport(found, request, { path: output, overwrite: force, source: found.open(), roots });
  });
  io.stderr(
    redactor ? describeRedaction(redactor.report()) : "not redacted: the output contains secrets, paths and names\n",
  );
}

const JSON_FORMATS: readonly FormatName[] = ["json", "jsonl", "api", "cast"];

/** A terminal gets no character of a session that could control it; text formats hold none. */
function toPrinted(piece: string | Uint8Array, format: FormatName, io: Io): string | Uint8Array {
  if (!io.isTerminal || !JSON_FORMATS.includes(format)) return piece;
  return harmlessJson(typeof piece === "string" ? piece : Buffer.from(piece).toString("utf8"), io);
}

type Control = Pick<ExportRequest, "onProgress" | "signal">;

/** Videos take long: they show progress on a terminal, and clean up when interrupted. */
async function withProgress(io: Io, isLong: boolean, work: (control: Control) => Promise<void>): Promise<void> {
  if (!isLong) return work({});
  const interrupt = new AbortController();
  const stopListening = io.onInterrupt(() => interrupt.abort());
  try {
    const onProgress = (seconds: number) => io.stderr(`\r\u001b[K${seconds} s recorded`);
    await work({ signal: interrupt.signal, ...(io.isTerminal ? { onProgress } : {}) });
  } finally {
    stopListening();
    if (io.isTerminal) io.stderr("\r\u001b[K");
  }
}
