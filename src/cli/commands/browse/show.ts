import { type Command, Option } from "commander";
import type { CommandContext } from "../../io.js";
import { SESSION } from "../../options/session-argument.js";
import type { ShowOptions } from "../../options/show-options.js";

const NOT_WITH_INVENTORY = ["turns", "branch", "events", "errors", "thinking", "tools"];

export function define(command: Command, { io }: CommandContext): void {
  command
    .argument("<session>", SESSION)
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
    .action(async (name: string, options: ShowOptions) =>
      (await import("../../report/print-session.js")).writeShown(name, options, io),
    );
}
