import type { Command } from "commander";
import { planRepair } from "../../../edit/repair/plan-repair.js";
import type { CommandContext } from "../../io.js";
import { addEditOptions, type EditCommandOptions } from "../../options/edit-options.js";
import { runEdit } from "./run-edit.js";

interface RepairOptions extends EditCommandOptions {
  readonly write?: boolean;
}

const EXAMPLES = `
Examples:
  turnlog repair last                  print the problems, and which would remain
  turnlog repair last --write          write a repaired copy; the old session stays`;

export function define(command: Command, { io }: CommandContext): void {
  addEditOptions(command)
    .option("--write", "write the repaired session (default: only print the plan)")
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
