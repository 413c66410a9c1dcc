import { type Command, Option } from "commander";
import type { CommandContext } from "../../io.js";
import type { ShowOptions } from "../../options/show-options.js";

const NOT_WITH_INVENTORY = ["turns", "branch", "events", "errors", "thinking", "tools"];

export function define(command: Command, { io }: CommandContext): void {
  command
    .argument("<session>", "file path, id, unique id prefix, exact title, or `last`")
    .option("--turns <range>", "only these turns: 3, 3-7, 3-, -7")
    .option("--branch <leaf>", "a rewound branch by the id of its last message, or `all`")
    .addOption(new Option("--thinking", "the model's thinking too").conflicts(["json", "events"]))
    .addOption(
      new Option("--tools <how>", "tool calls: full, brief or none").default("brief").conflicts(["json", "events"]),
    )
    .option("--events", "one event after the other instead of turns")
    .option("--errors", "with --events: only what failed")
    .addOption(
      new Option("--inventory", "what the file is made of: lines, versions, types, stop reasons, blocks").conflicts(
        NOT_WITH_INVENTORY,
      ),
    )
    .option("--reveal", "do not mask keys and tokens")
    .option("--json", "as JSON")
    .option("--no-pager", "print on the terminal instead of starting a pager")
    .action(async (name: string, options: ShowOptions) =>
      (await import("../../report/print-session.js")).writeShown(name, options, io),
    );
}
