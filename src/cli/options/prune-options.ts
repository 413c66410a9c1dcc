import { type Command, Option } from "commander";
import { PRUNE_PRESETS } from "../../edit/prune/prune-presets.js";
import { collect } from "./filter-options.js";

export function addPruneOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--preset <name>", "how much to remove, see below (default without other options: normal)").choices([
        ...Object.keys(PRUNE_PRESETS),
        "none",
      ]),
    )
    .addOption(
      new Option("--tools <how>", "tool calls: remove them, truncate them to two lines, or stub their results").choices(
        ["remove", "truncate", "stub"],
      ),
    )
    .option("--keep-last <n>", "keep tool output in the last n turns with tools (with --to-tokens: 1)")
    .option(
      "--keep-tokens <n>",
      "keep the last tool output, about n tokens of it: 5000, 20k (default: as in the preset, or 20k)",
    )
    .option("--older-than <age>", "only in turns older than: 7d, 12h, 2026-05-01")
    .option("--tool <name>", "only calls of this tool; can be repeated", collect)
    .option("--larger-than <bytes>", "only calls larger than: 4000, 10k")
    .addOption(
      new Option("--thinking <how>", "thinking: remove it from all turns but the last, or from all").choices([
        "remove",
        "all",
      ]),
    )
    .option("--images", "replace images and documents with a note")
    .option("--progress", "remove progress records")
    .option("--attachments", "remove reminders, and leave stubs of mentioned files and hook output")
    .option("--snapshots", "remove file snapshots")
    .option("--sidechains", "remove sub-agents")
    .option("--duplicates", "keep only the last read of files that were read several times")
    .option("--to-tokens <n>", "remove the least useful parts until about n tokens are left: 80000, 80k")
    .option(
      "--keep-call <id>",
      "keep this call, whatever the other options; can be repeated, as the next five",
      collect,
    )
    .option("--stub-call <id>", "leave a stub of the result of this call", collect)
    .option("--remove-call <id>", "remove this call with its result", collect)
    .option("--keep-turn <n>", "keep the calls, thinking and images of this turn", collect)
    .option("--stub-turn <n>", "leave stubs of the results in this turn", collect)
    .option("--remove-turn <n>", "remove all calls of this turn; what was said stays", collect);
}
