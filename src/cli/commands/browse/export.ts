import type { Command } from "commander";
import { EXPORT_FORMATS } from "../../../app/export/export-formats.js";
import type { CommandContext } from "../../io.js";
import { addFormatOptions } from "../../options/export-options.js";
import { addRedactionOptions } from "../../options/redaction-options.js";
import type { ExportOptions } from "../../report/print-export.js";

export function define(command: Command, { io }: CommandContext): void {
  addFormatOptions(addRedactionOptions(command))
    .argument("<session>", "file path, id, unique id prefix, exact title, or `last`")
    .requiredOption("--format <format>", EXPORT_FORMATS.join(", "))
    .option(
      "-o, --output <file>",
      "into a file instead of standard output; html also into a folder, named without an ending",
    )
    .option("--force", "overwrite the file")
    .action(async (name: string, options: ExportOptions) =>
      (await import("../../report/print-export.js")).writeExported(name, options, { command, io }),
    );
}
