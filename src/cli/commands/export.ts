import type { Command } from "commander";
import { UserError } from "../../errors.js";
import { chooseSession } from "../choose-session.js";
import type { CommandContext } from "../command-context.js";
import { EXPORT_FORMATS, exportPieces, findFormat, formatsWith, writeExport } from "../export-formats.js";
import { addFormatOptions, parseFormatOptions, refuseOtherOptions, type TypedOptions } from "../export-options.js";
import { loadOptions } from "../load-options.js";
import { addRedactionOptions, describeRedaction, exportRedactor, type RedactionOptions } from "../redaction.js";
import { type RootOptions, sessionRoots } from "../roots.js";

interface ExportOptions extends RedactionOptions, RootOptions, TypedOptions {
  readonly format: string;
  readonly output?: string;
  readonly force?: boolean;
}

export function define(command: Command, { io }: CommandContext): void {
  addFormatOptions(addRedactionOptions(command), formatsWith)
    .argument("<session>", "file path, id, unique id prefix, exact title, or `last`")
    .requiredOption("--format <format>", EXPORT_FORMATS.join(", "))
    .option("-o, --output <file>", "into a file instead of standard output; html also into a folder/")
    .option("--force", "overwrite the file")
    .action(async (name: string, options: ExportOptions) => {
      const { format, output, force = false } = options;
      const { options: taken, needsFile } = findFormat(format);
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
    });
}

function withoutFile(format: string): UserError {
  return new UserError("usage", `--format ${format} needs a file`, `name it: -o session.${format}`);
}
