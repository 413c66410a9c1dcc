import type { Command } from "commander";
import { chooseSession } from "../choose-session.js";
import type { CommandContext } from "../command-context.js";
import { EXPORT_FORMATS, exportPieces, refuseUnknownFormat } from "../export-formats.js";
import { loadOptions } from "../load-options.js";
import { writeOutputFile } from "../output-file.js";
import { addRedactionOptions, describeRedaction, exportRedactor, type RedactionOptions } from "../redaction.js";
import { type RootOptions, sessionRoots } from "../roots.js";

interface ExportOptions extends RedactionOptions, RootOptions {
  readonly format: string;
  readonly output?: string;
  readonly force?: boolean;
}

export function define(command: Command, { io }: CommandContext): void {
  addRedactionOptions(command)
    .argument("<session>", "file path, id, unique id prefix, exact title, or `last`")
    .requiredOption("--format <format>", EXPORT_FORMATS.join(", "))
    .option("-o, --output <file>", "into a file instead of standard output")
    .option("--force", "overwrite the file")
    .action(async (name: string, options: ExportOptions) => {
      refuseUnknownFormat(options.format);
      const roots = await sessionRoots(io, options);
      const settings = await loadOptions(io);
      const found = chooseSession(name, roots, io, settings);
      const path = found.open();
      const redactor = options.redact ? await exportRedactor(options, io) : undefined;
      const pieces = exportPieces(found, { format: options.format, clean: redactor?.json, settings, io });
      const { output, force = false } = options;
      if (output !== undefined) await writeOutputFile({ path: output, overwrite: force, source: path, roots }, pieces);
      else for (const piece of pieces) await io.stdout(piece);
      io.stderr(
        redactor ? describeRedaction(redactor.report()) : "not redacted: secrets, paths and names are in the output\n",
      );
    });
}
