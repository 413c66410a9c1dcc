import type { Command } from "commander";
import { addEditOptions, type EditCommandOptions, runEdit } from "../../../app/edit/prepare-edit.js";
import { describeRedaction, exportRedactor } from "../../../app/redaction.js";
import { addRedactorOptions, type RedactionOptions } from "../../../app/redaction-options.js";
import type { EditOptions } from "../../../edit/plans/edit-plan.js";
import type { EditSource } from "../../../edit/plans/edit-source.js";
import { planRedact } from "../../../edit/plans/plan-redact.js";
import type { CommandContext } from "../../command-context.js";

const EXAMPLES = `
  turnlog redact last                    a copy without keys, passwords, your home path and your name
  turnlog redact last --redact-emails -o shared.jsonl

Sub-agents and spilled tool output are redacted too; backups of edited files stay behind.`;

export function define(command: Command, { io }: CommandContext): void {
  addRedactorOptions(addEditOptions(command))
    .addHelpText("after", EXAMPLES)
    .action(async (name: string, options: EditCommandOptions & Partial<RedactionOptions>) => {
      const redactor = await exportRedactor(options, io);
      const plan = (source: EditSource, common: EditOptions) => {
        const title = common.title == null ? null : redactor.text(common.title, "title");
        return planRedact(source, { clean: redactor.json }, { ...common, title });
      };
      await runEdit(name, options, io, plan, "redacted");
      io.stderr(describeRedaction(redactor.report()));
    });
}
