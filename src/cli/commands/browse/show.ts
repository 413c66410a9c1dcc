import { type Command, Option } from "commander";
import type { CommandContext } from "../../io.js";
import { SESSION, sessionOrPullRequest } from "../../options/session-argument.js";
import type { ShowOptions } from "../../options/show-options.js";

const NOT_WITH_INVENTORY = ["turns", "branch", "events", "errors", "thinking", "tools"];

const EXAMPLES = `
Examples:
  turnlog show last                                the latest session, turn by turn
  turnlog show 611dbd00 --turns 3-7 --tools full   five turns with everything their calls printed
  turnlog show last --events --errors              only what failed
  turnlog show --pr 218                            what led to a pull request, for its reviewer`;

export function define(command: Command, { io }: CommandContext): void {
  command
    .argument("[session]", SESSION)
    .option(
      "--pr <name>",
      "instead of a session: prompts, decisions, files, tests and commits of all sessions linked to this pull request",
    )
    .option("--turns <range>", "only these turns: 3, 3-7, 3-, -7")
    .option("--branch <leaf>", "a rewound branch, by the id of its last message, or `all`")
    .addOption(new Option("--thinking", "include the model's thinking").conflicts(["json", "events"]))
    .addOption(
      new Option("--tools <how>", "tool calls: full, brief or none").default("brief").conflicts(["json", "events"]),
    )
    .option("--events", "a flat list of events instead of turns")
    .option("--errors", "with --events: only failures")
    .addOption(
      new Option("--inventory", "count lines, versions, record types, stop reasons and block types").conflicts(
        NOT_WITH_INVENTORY,
      ),
    )
    .option("--reveal", "do not mask keys and tokens")
    .option("--json", "print JSON")
    .option("--no-pager", "do not start a pager")
    .addHelpText("after", EXAMPLES)
    .action(async (session: string | undefined, options: ShowOptions & { readonly pr?: string }) => {
      const choice = sessionOrPullRequest(session, options);
      if (choice.pr === undefined)
        await (await import("../../report/print-session.js")).writeShown(choice.session, options, io);
      else
        await (await import("../../report/print-appendix.js")).writeShownAppendix(
          { ...options, pr: choice.pr },
          command,
          io,
        );
    });
}
