import type { Command } from "commander";
import { type PruneFlags, toPruneOptions } from "../../../app/edit/prune-flags.js";
import { planPrune } from "../../../edit/prune/plan-prune.js";
import type { CommandContext } from "../../io.js";
import { addEditOptions, type EditCommandOptions } from "../../options/edit-options.js";
import { addPruneOptions } from "../../options/prune-options.js";
import { runEdit } from "./run-edit.js";

const EXAMPLES = `
  turnlog prune last                              the preset normal
  turnlog prune last --preset light               progress, attachments, files read again
  turnlog prune last --preset heavy --dry-run     only tells
  turnlog prune last --tools truncate --tool Bash --larger-than 4k
  turnlog prune last --to-tokens 80k              no more than needed

Presets, each with what light takes out:
  light    progress, attachments, reads of files that were read again
  normal   results of tools stubbed, but in the last 20 turns that have tools; thinking of finished turns
  heavy    tools cut to two lines, but in the last 10 turns that have tools; thinking of finished turns
  extreme  no tools and no thinking`;

export function define(command: Command, { io }: CommandContext): void {
  addPruneOptions(addEditOptions(command))
    .addHelpText("after", EXAMPLES)
    .action((name: string, options: EditCommandOptions & PruneFlags) => {
      const prune = toPruneOptions(options);
      return runEdit(name, options, io, (source, common) => planPrune(source, prune, common), "pruned");
    });
}
