import type { Command } from "commander";

/** Options of every command whose output leaves the machine. */
export function addRedactionOptions(command: Command): Command {
  return addRedactorOptions(command.option("--no-redact", "keep secrets, home folder and user name in the output"));
}

/** What to redact in addition. */
export function addRedactorOptions(command: Command): Command {
  return command
    .option("--redact-emails", "redact e-mail addresses too")
    .option(
      "--redact-patterns <file>",
      'redact your own patterns too: a JSON file of names and regular expressions, { "badge": "B-\\\\d+" }',
    );
}
