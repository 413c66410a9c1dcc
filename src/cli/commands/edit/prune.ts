import type { Command } from "commander";
import { type PruneFlags, toPruneOptions } from "../../../app/edit/edit-flags.js";
import { planPrune } from "../../../edit/prune/plan-prune.js";
import type { CommandContext } from "../../io.js";
import { addEditOptions, type EditCommandOptions } from "../../options/edit-options.js";
import { addPruneOptions } from "../../options/prune-options.js";
import { runEdit } from "./run-edit.js";

const EXAMPLES = `
Presets:
  light    remove progress, attachments, and all but the last read of each file
  normal   light, stub tool results except in the last 20 turns with tools, remove thinking except in the last turn
  heavy    light, cut tool calls to two lines except in the last 10 turns with tools, remove thinking except in the last turn
  extreme  light, remove all tool calls and all thinking

Examples:
  turnlog prune last                              preset normal
  turnlog prune last --preset heavy --dry-run     print the plan only
  turnlog prune last --tools truncate --tool Bash --larger-than 4k
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
