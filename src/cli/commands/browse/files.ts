import { type Command, Option } from "commander";
import type { CommandContext } from "../../io.js";
import { SESSION } from "../../options/session-argument.js";
import type { FilesOptions } from "../../report/print-files.js";

const EXAMPLES = `
Examples:
  turnlog files last                               what it read, wrote and edited
  turnlog files last --diff | git apply -R         revert all its changes
  turnlog files last --restore src/app.py --at 3   a file as of the end of turn 3`;

export function define(command: Command, { io }: CommandContext): void {
  command
    .argument("<session>", SESSION)
    .addOption(
      new Option("--diff", "print one unified diff of all changes, for git apply or patch -p1").conflicts("json"),
    )
    .addOption(
      new Option("--restore <path>", "print a file as it was; nothing is masked").conflicts(["json", "diff", "reveal"]),
    )
    .option("--at <turn>", "with --restore: as of the end of this turn (default: the last)")
    .option("--to <folder>", "with --restore: write it below this folder instead of printing it")
    .option("--force", "with --restore: overwrite the file; without --to, the original")
    .option("--reveal", "do not mask keys and tokens")
    .option("--json", "print JSON")
    .addHelpText("after", EXAMPLES)
    .action(async (name: string, options: FilesOptions) =>
      (await import("../../report/print-files.js")).writeFiles(name, options, io),
    );
}
