import type { Command } from "commander";
import type { CommandContext } from "../../io.js";
import { addIndexOption } from "../../options/filter-options.js";
import type { BlameOptions } from "../../report/print-blame.js";

const EXAMPLES = `
A line belongs to a turn only where this is certain: a recorded change brought it, and it can be followed from there to the file as it
is now, through later changes, commits, moves and new spacing (marked ~). Else it belongs to the commit that brought it, if it is
certain which; the rest is unknown.

Examples:
  turnlog blame src/cart.ts                 who wrote each line
  turnlog blame src/cart.ts:12-40 --prompts the lines 12 to 40, below the prompts that led to them
  turnlog blame src/cart.ts:12 --json       one line, for a program`;

export function define(command: Command, { io }: CommandContext): void {
  addIndexOption(command.argument("<file>", "a text file; with :12 or :12-40 only these lines"))
    .option("--prompts", "print each prompt above the lines that it led to")
    .option("--reveal", "do not mask keys and tokens")
    .option("--no-pager", "do not start a pager")
    .option("--json", "print JSON")
    .addHelpText("after", EXAMPLES)
    .action(async (file: string, options: BlameOptions) =>
      (await import("../../report/print-blame.js")).writeBlame(file, options, io),
    );
}
