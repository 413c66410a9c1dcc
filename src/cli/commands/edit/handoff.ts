import { type Command, Option } from "commander";
import type { CommandContext } from "../../io.js";
import { addRedactionOptions } from "../../options/redaction-options.js";
import { SESSION } from "../../options/session-argument.js";
import type { HandoffFlags } from "../../report/print-handoff.js";

const EXAMPLES = `
Without --model, the brief is made by rules and nothing leaves this machine. With --start, keys and tokens are masked and paths stay.

Examples:
  turnlog handoff last                      goal, constraints, decisions, files, commands, open points
  turnlog handoff last -o brief.md --max-tokens 6000
  turnlog handoff last --turns 20-          a part of the session
  turnlog handoff last --start              a new session that begins with the brief
  turnlog handoff last --model claude-haiku-4-5        what would be sent to a model, and its cost
  turnlog handoff last --model claude-haiku-4-5 --yes  send it`;

export function define(command: Command, { io }: CommandContext): void {
  addRedactionOptions(command)
    .argument("<session>", SESSION)
    .option("--turns <range>", "only these turns: 3, 3-7, 3-, -7")
    .option("--max-tokens <n>", "at most about this many tokens", "4000")
    .addOption(new Option("--start", "write a new session whose first prompt is the brief").conflicts("output"))
    .option("-o, --output <file>", "write to a file instead of standard output")
    .option("--force", "overwrite the file")
    .option("--json", "print JSON")
    .option("--model <name>", "let this model write the brief; without --yes only prints the cost")
    .option("--base-url <url>", "URL of the API (default: ANTHROPIC_BASE_URL)")
    .option("--yes", "send the transcript to the model")
    .addHelpText("after", EXAMPLES)
    .action(async (name: string, options: HandoffFlags) =>
      (await import("../../report/print-handoff.js")).writeHandedOn(name, options, io),
    );
}
