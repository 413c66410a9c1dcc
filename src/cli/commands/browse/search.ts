import type { Command } from "commander";
import { UserError } from "../../../errors.js";
import { SEARCH_PLACES } from "../../../library/search/search-hit.js";
import type { CommandContext } from "../../io.js";
import { addFilterOptions, addIndexOption } from "../../options/filter-options.js";
import type { SearchCommandOptions } from "../../report/print-hits.js";

const HELP = `
Query: words (all must occur in one text), "a phrase", prefix*, -without, one OR other. Case is ignored, except with --case, and
with --regex and --literal if the query has a capital letter. Parts of camelCase, snake_case and paths are found too, and Chinese,
Japanese and Korean by any number of characters. --since, --until, --tool and --errors apply to the text found, the other filters
to its session.

Results are sessions, best first: those with the words in their title, then in a prompt, then anywhere else; within these, ten
times as many hits go before fewer, then the latest. Each shows its best hits; --session shows all of one.

Examples:
  turnlog search 'flaky test' --in prompts,answers --since 30d
  turnlog search '"connection refused" -redis' --tool Bash --errors
  turnlog search --regex 'TODO\\(\\w+\\)' --project api
`;

export function define(command: Command, { io, args }: CommandContext): void {
  addIndexOption(addFilterOptions(command))
    .argument("[query...]", "words to search for")
    .allowUnknownOption() // -without is part of the query
    .option("--in <places>", `only in these places: ${Object.keys(SEARCH_PLACES).join(", ")}`)
    .option("--session <session>", "all hits of this session; --limit and --offset then count hits")
    .option("--hits <n>", "hits to show of each session (default: 3; with --json 20)")
    .option("--offset <n>", "skip this many sessions")
    .option("--regex", "the query is a regular expression")
    .option("--literal", "the query is an exact string")
    .option("--case", "the query is an exact string, and case matters; with --regex: case matters")
    .option("--reveal", "do not mask keys and tokens")
    .option("--json", "print JSON")
    .addHelpText("after", HELP)
    .action(async (words: string[], options: SearchCommandOptions) => {
      const unknown = words.find((word) => /^--\w/.test(word) && !afterDashes(args).includes(word));
      if (unknown !== undefined) {
        throw new UserError("usage", `unknown option '${unknown}'`, "run `turnlog search --help` for its options");
      }
      await (await import("../../report/print-hits.js")).writeHits(words.join(" "), options, io);
    });
}

/** Everything after `--` is part of the query. */
function afterDashes(args: readonly string[]): readonly string[] {
  const at = args.indexOf("--");
  return at < 0 ? [] : args.slice(at + 1);
}
