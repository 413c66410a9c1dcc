import type { Command } from "commander";
import { chooseSession } from "../../app/choose-session.js";
import {
  describeFormat,
  parseFormat,
  parseFormatOptions,
  refuseOtherOptions,
  type TypedOptions,
} from "../../app/export/export-formats.js";
import { exportPieces, writeExport } from "../../app/export/export-session.js";
import type { Io } from "../../app/io.js";
import { loadOptions } from "../../app/load-options.js";
import { describeRedaction, exportRedactor } from "../../app/redaction.js";
import type { RedactionOptions } from "../../app/redaction-options.js";
import { type RootOptions, sessionRoots } from "../../app/session-roots.js";
import { UserError } from "../../errors.js";

export interface ExportOptions extends RedactionOptions, RootOptions, TypedOptions {
  readonly format: string;
  readonly output?: string;
  readonly force?: boolean;
}

/** A session into a file, a folder or standard output, and what was taken out of it. */
export async function writeExported(
  name: string,
  options: ExportOptions,
  { command, io }: { readonly command: Command; readonly io: Io },
): Promise<void> {
  const { output, force = false } = options;
  const format = parseFormat(options.format);
  const { options: taken, needsFile } = describeFormat(format);
  refuseOtherOptions(command, format, taken);
  if (needsFile && output === undefined) throw withoutFile(format);
  const formatOptions = parseFormatOptions(options);
  const roots = await sessionRoots(io, options);
  const settings = await loadOptions(io);
  const found = chooseSession(name, roots, io, settings);
  const redactor = options.redact ? await exportRedactor(options, io) : undefined;
  const order = { format, options: formatOptions, clean: redactor?.json, settings, output, io };
  if (output === undefined) for await (const piece of await exportPieces(found, order)) await io.stdout(piece);
  else await writeExport(found, order, { path: output, overwrite: force, source: found.open(), roots });
  io.stderr(
    redactor ? describeRedaction(redactor.report()) : "not redacted: secrets, paths and names are in the output\n",
  );
}

function withoutFile(format: string): UserError {
  return new UserError("usage", `--format ${format} needs a file`, `name it: -o session.${format}`);
}
