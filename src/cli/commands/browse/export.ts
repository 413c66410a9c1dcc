import type { Command } from "commander";
import { EXPORT_FORMATS } from "../../../app/export/export-formats.js";
import type { CommandContext } from "../../io.js";
import { addFormatOptions } from "../../options/export-options.js";
import { addRedactionOptions } from "../../options/redaction-options.js";
import { SESSION, sessionOrPullRequest } from "../../options/session-argument.js";
import type { ExportOptions } from "../../report/print-export.js";

const EXAMPLES = `
Examples:
  turnlog export last --format html -o session.html      one self-contained page
  turnlog export last --format md --turns 3-7            Markdown for an issue
  turnlog export last --format jsonl --no-redact         the session file, byte for byte
  turnlog export --pr 218 --format md -o appendix.md     prompts, decisions, tests and commits behind a pull request`;

export function define(command: Command, { io }: CommandContext): void {
  addFormatOptions(addRedactionOptions(command))
    .argument("[session]", SESSION)
    .option(
      "--pr <name>",
      "instead of a session: what all sessions linked to this pull request did, for its reviewer [html, md, json]",
    )
    .requiredOption("--format <format>", `one of ${EXPORT_FORMATS.join(", ")}`)
    .option(
      "-o, --output <file>",
      "write to a file instead of standard output; for html also a folder, a name without extension",
    )
    .option("--force", "overwrite the file")
    .addHelpText("after", EXAMPLES)
    .action(async (session: string | undefined, options: ExportOptions & { readonly pr?: string }) => {
      const choice = sessionOrPullRequest(session, options);
      if (choice.pr === undefined)
        await (await import("../../report/print-export.js")).writeExported(choice.session, options, { command, io });
      else
        await (await import("../../report/print-appendix.js")).writeExportedAppendix(
          { ...options, pr: choice.pr },
          command,
          io,
        );
    });
}
