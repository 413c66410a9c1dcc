import type { Command } from "commander";
import { planRepair } from "../../../edit/repair/plan-repair.js";
import type { CommandContext } from "../../io.js";
import { addEditOptions, type EditCommandOptions } from "../../options/edit-options.js";
import { runEdit } from "./run-edit.js";

interface RepairOptions extends EditCommandOptions {
  readonly write?: boolean;
}

const EXAMPLES = `
  turnlog repair last                  tells what is wrong, and what would be left of it
  turnlog repair last --write          writes the repaired session beside the old one`;

export function define(command: Command, { io }: CommandContext): void {
  addEditOptions(command)
    .option("--write", "write the new session; without, nothing is written")
    .addHelpText("after", EXAMPLES)
    .action((name: string, options: RepairOptions) => {
      const dryRun = options.dryRun || !options.write;
      return runEdit(
        name,
        { ...options, dryRun, writtenBy: options.dryRun ? "" : "--write" },
        io,
        planRepair,
        "repaired",
      );
    });
}
