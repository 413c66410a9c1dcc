import { type Command, Option } from "commander";

/** The filters of every command over many sessions. */
export function addFilterOptions(command: Command): Command {
  return command
    .option("--project <path>", "only this project: its path, or part of it")
    .option("--since <time>", "only sessions active since: 7d, 12h, yesterday, 2026-05-01")
    .option("--until <time>", "only sessions started before")
    .option("--model <name>", "only sessions with a model whose name contains this")
    .option("--git-branch <name>", "only sessions that ended on this git branch")
    .option("--errors", "only sessions with failed tool calls or API errors")
    .option("--tool <name>", "only sessions that used this tool")
    .option("--tag <tag>", "only sessions with this tag; repeat it to require several", collect)
    .option("--favourites", "only your favourites")
    .option("--source <name>", "only sessions from this source (see `turnlog source list`)")
    .option("--limit <n>", "at most this many");
}

/** For options that can be repeated. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

export interface IndexOptions {
  readonly index?: boolean; // false: --no-index
  readonly wait?: boolean;
}

export function addIndexOption(command: Command): Command {
  return command
    .option("--no-index", "read the session files instead of the index")
    .addOption(
      new Option("--wait", "wait until all sessions are indexed, for scripts that need complete answers").conflicts(
        "index",
      ),
    );
}
