import type { Command } from "commander";

export interface RedactionOptions {
  readonly redact: boolean;
  readonly redactEmails?: boolean;
  readonly redactPatterns?: string;
}

/** Options of every command whose output leaves the machine. */
export function addRedactionOptions(command: Command): Command {
  return addRedactorOptions(command.option("--no-redact", "leave secrets, the home path and the user name in"));
}

/** What is taken out besides. */
export function addRedactorOptions(command: Command): Command {
  return command
    .option("--redact-emails", "take out e-mail addresses too")
    .option(
      "--redact-patterns <file>",
      'more to take out: JSON of names and regular expressions { "badge": "B-\\\\d+" }',
    );
}
