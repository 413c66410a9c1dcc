import type { Command } from "commander";
import type { CommandContext } from "../../io.js";
import { addFilterOptions, addIndexOption } from "../../options/filter-options.js";
import type { ListOptions } from "../../report/print-list.js";

const EXAMPLES = `
Examples:
  turnlog list --project shop --since 7d   this week's sessions of one project
  turnlog list --errors --limit 20         the last 20 with a failed call or API error
  turnlog list --pr 218 --json             sessions behind a pull request, for a script`;

export function define(command: Command, { io }: CommandContext): void {
  addIndexOption(addFilterOptions(command))
    .option(
      "--expiring [days]",
      "only sessions that Claude Code's clean-up deletes, or takes files from, within this many days (default: 7)",
    )
    .option("--pr <name>", "only sessions linked to this pull request: 218, owner/repo#218, or its address")
    .option(
      "--commit <sha>",
      "only sessions that made this commit, also where it was rebased since, or wrote what it holds",
    )
    .option("--deleted", "sessions that only the archive or Claude Code's prompt history still knows")
    .option("--all", "include empty sessions")
    .option("--reveal", "do not mask keys and tokens in titles and notes")
    .option("--no-pager", "do not start a pager")
    .option("--json", "print JSON")
    .addHelpText("after", EXAMPLES)
    .action(async (options: ListOptions) => (await import("../../report/print-list.js")).writeList(options, io));
}
