import type { Command } from "commander";
import { redactedPlan } from "../../../app/edit/redacted-plan.js";
import { exportRedactor, type RedactionOptions } from "../../../app/redaction.js";
import type { EditOptions } from "../../../edit/plans/edit-plan.js";
import type { EditSource } from "../../../edit/plans/edit-source.js";
import type { CommandContext } from "../../io.js";
import { addEditOptions, type EditCommandOptions } from "../../options/edit-options.js";
import { addRedactorOptions } from "../../options/redaction-options.js";
import { describeRedaction } from "../../report/redaction-report.js";
import { runEdit } from "./run-edit.js";

const EXAMPLES = `
Sub-agents and tool output in separate files are redacted too. Backups of edited files are not copied.

Examples:
  turnlog redact last                    a copy without keys, passwords, home folder and user name
  turnlog redact last --redact-emails -o shared.jsonl`;

export function define(command: Command, { io }: CommandContext): void {
  addRedactorOptions(addEditOptions(command))
    .addHelpText("after", EXAMPLES)
    .action(async (name: string, options: EditCommandOptions & Partial<RedactionOptions>) => {
      const redactor = await exportRedactor(options, io);
      const plan = (source: EditSource, common: EditOptions) => redactedPlan(source, common, redactor);
      await runEdit(name, options, io, plan, "redacted");
      io.stderr(describeRedaction(redactor.report()));
    });
}
