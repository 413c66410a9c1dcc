import type { Command } from "commander";
import { type PruneFlags, toPruneOptions } from "../../../app/edit/edit-flags.js";
import { planPrune } from "../../../edit/prune/plan-prune.js";
import type { CommandContext } from "../../io.js";
import { addEditOptions, type EditCommandOptions } from "../../options/edit-options.js";
import { addPruneOptions } from "../../options/prune-options.js";
import { runEdit } from "./run-edit.js";

const EXAMPLES = `
Presets:
  light    remove progress and reminders; leave stubs of mentioned files, hook output, and all but the last read of each file
  normal   light; cut tool results to two lines, except the last 20k tokens of them; remove thinking except in the last turn
  heavy    normal; leave stubs of tool results, except the last 5k tokens of them; remove images and documents
  extreme  heavy; remove all tool calls and all thinking

Examples:
  turnlog prune last                              preset normal
  turnlog prune last --preset heavy --dry-run     print the plan only
  turnlog prune last --tools truncate --tool Bash --larger-than 4k
  turnlog prune last --preset heavy --keep-tokens 30k
  turnlog prune last --to-tokens 80k              remove no more than needed`;

export function define(command: Command, { io }: CommandContext): void {
  addPruneOptions(addEditOptions(command))
    .addHelpText("after", EXAMPLES)
    .action((name: string, options: EditCommandOptions & PruneFlags) => {
      const prune = toPruneOptions(options);
      const reading = { ...options, sketchesBodies: true };
      return runEdit(name, reading, io, (source, common) => planPrune(source, prune, common), "pruned");
    });
}
