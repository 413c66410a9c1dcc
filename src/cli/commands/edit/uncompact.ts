import type { Command } from "commander";
import { type UncompactFlags, uncompactPlan } from "../../../app/edit/uncompact.js";
import type { CommandContext } from "../../io.js";
import { addEditOptions, type EditCommandOptions } from "../../options/edit-options.js";
import { runEdit } from "./run-edit.js";

const EXAMPLES = `
What was summarized comes back: from the session, or from the archive where Claude Code removed it from the file. The summary is removed.
If it does not fit, tool output and thinking are pruned, the oldest first; prompts and answers stay.

Examples:
  turnlog uncompact last --dry-run       what would come back, and how many tokens that takes
  turnlog uncompact last                 undo the last compaction
  turnlog uncompact last --all           undo all compactions
  turnlog uncompact last --at 2          undo the second compaction and later ones
  turnlog uncompact last --to-tokens 80k`;

export function define(command: Command, { io }: CommandContext): void {
  addEditOptions(command)
    .option("--at <n>", "undo this compaction, counted from 1, and all later ones (default: the last one)")
    .option("--all", "undo all compactions")
    .option("--to-tokens <n>", "prune to this estimate, such as 80k (default: 60 % of the model's window)")
    .addHelpText("after", EXAMPLES)
    .action((name: string, options: EditCommandOptions & UncompactFlags) => {
      const reading = { ...options, sketchesBodies: true, readsWhole: true };
      return runEdit(name, reading, io, uncompactPlan(options), "uncompacted");
    });
}
