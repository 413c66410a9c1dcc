import { type Command, Option } from "commander";
import type { CommandContext } from "../../io.js";
import type { FilesOptions } from "../../report/print-files.js";

export function define(command: Command, { io }: CommandContext): void {
  command
    .argument("<session>", "file path, id, unique id prefix, exact title, or `last`")
    .addOption(new Option("--diff", "one unified diff of all changes, for git apply or patch -p1").conflicts("json"))
    .addOption(
      new Option("--restore <path>", "print a file as it was; nothing is masked").conflicts(["json", "diff", "reveal"]),
    )
    .option("--at <turn>", "with --restore: at the end of this turn (else of the last)")
    .option("--to <folder>", "with --restore: write it below this folder instead of printing it")
    .option("--force", "with --restore: overwrite the file; without --to the original one")
    .option("--reveal", "do not mask keys and tokens")
    .option("--json", "as JSON")
    .action(async (name: string, options: FilesOptions) =>
      (await import("../../report/print-files.js")).writeFiles(name, options, io),
    );
}
