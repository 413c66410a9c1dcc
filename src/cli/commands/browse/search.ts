import type { Command } from "commander";
import { UserError } from "../../../errors.js";
import { SEARCH_PLACES } from "../../../library/search/search-hit.js";
import type { CommandContext } from "../../io.js";
import { addFilterOptions, addIndexOption } from "../../options/filter-options.js";
import type { SearchCommandOptions } from "../../report/print-hits.js";

const HELP = `
A query: words (all must stand in one text), "a phrase", begin*, -without, one OR other. Parts of camelCase, snake_case
and paths are found too, and Chinese, Japanese and Korean by any number of characters. --since, --until, --tool and --errors
are about the text that is found, the other filters about its session. Case never matters to words; to --regex and
--literal it does where the query has a capital letter.

  turnlog search 'flaky test' --in prompts,answers --since 30d
  turnlog search '"connection refused" -redis' --tool Bash --errors
  turnlog search --regex 'TODO\\(\\w+\\)' --project api
`;

export function define(command: Command, { io, args }: CommandContext): void {
  addIndexOption(addFilterOptions(command))
    .argument("[query...]", "what to look for")
    .allowUnknownOption() // -without is part of the query
    .option("--in <places>", `only there: ${Object.keys(SEARCH_PLACES).join(", ")}`)
    .option("--session <session>", "in one session")
    .option("--regex", "the query is a regular expression")
    .option("--literal", "the query is to be found as it stands")
    .option("--reveal", "do not mask keys and tokens")
    .option("--json", "as JSON")
    .addHelpText("after", HELP)
    .action(async (words: string[], options: SearchCommandOptions) => {
      const unknown = words.find((word) => /^--\w/.test(word) && !afterDashes(args).includes(word));
      if (unknown !== undefined) {
        throw new UserError("usage", `unknown option '${unknown}'`, "`turnlog search --help` shows how it is used");
      }
      await (await import("../../report/print-hits.js")).writeHits(words.join(" "), options, io);
    });
}

/** What follows `--` is looked for, whatever it looks like. */
function afterDashes(args: readonly string[]): readonly string[] {
  const at = args.indexOf("--");
  return at < 0 ? [] : args.slice(at + 1);
}
