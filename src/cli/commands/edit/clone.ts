import type { Command } from "commander";
import { planClone } from "../../../edit/plans/clone-and-fork.js";
import type { CommandContext } from "../../io.js";
import { addEditOptions, type EditCommandOptions } from "../../options/edit-options.js";
import { runEdit } from "./run-edit.js";

const EXAMPLES = `
Examples:
  turnlog clone last                   a copy to resume; the old session stays
  turnlog clone 611dbd00 --dry-run     print the plan only
  turnlog clone 611dbd00 -o copy.jsonl`;

export function define(command: Command, { io }: CommandContext): void {
  addEditOptions(command)
    .addHelpText("after", EXAMPLES)
    .action((name: string, options: EditCommandOptions) => runEdit(name, options, io, planClone, "clone"));
}
