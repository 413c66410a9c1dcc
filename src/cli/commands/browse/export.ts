import type { Command } from "commander";
import { EXPORT_FORMATS } from "../../../app/export/export-formats.js";
import type { CommandContext } from "../../io.js";
import { addFormatOptions } from "../../options/export-options.js";
import { addRedactionOptions } from "../../options/redaction-options.js";
import { SESSION } from "../../options/session-argument.js";
import type { ExportOptions } from "../../report/print-export.js";

const EXAMPLES = `
Examples:
  turnlog export last --format html -o session.html      one self-contained page
  turnlog export last --format md --turns 3-7            Markdown for an issue
  turnlog export last --format jsonl --no-redact         the session file, byte for byte`;

export function define(command: Command, { io }: CommandContext): void {
  addFormatOptions(addRedactionOptions(command))
    .argument("<session>", SESSION)
    .requiredOption("--format <format>", `one of ${EXPORT_FORMATS.join(", ")}`)
    .option(
      "-o, --output <file>",
      "write to a file instead of standard output; for html also a folder, a name without extension",
    )
    .option("--force", "overwrite the file")
    .addHelpText("after", EXAMPLES)
    .action(async (name: string, options: ExportOptions) =>
      (await import("../../report/print-export.js")).writeExported(name, options, { command, io }),
    );
}
