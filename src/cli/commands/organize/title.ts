import type { Command } from "commander";
import { UserError } from "../../../errors.js";
import { neutralize } from "../../../render/safe-text.js";
import type { CommandContext } from "../../io.js";
import { SESSION } from "../../options/session-argument.js";
import { addMarkOptions, type MarkOptions, markSession, printMarks, wantedText } from "./mark-session.js";

const EXAMPLES = `
The title is stored by turnlog; the session file does not change.

Examples:
  turnlog title last "Prices, second try"   set it
  turnlog title last --clear                back to Claude Code's own`;

export function define(command: Command, { io }: CommandContext): void {
  addMarkOptions(command)
    .argument("<session>", SESSION)
    .argument("[text]", "the new title (default: print the current one)")
    .option("--clear", "remove your title; the session's own is shown again")
    .addHelpText("after", EXAMPLES)
    .action(async (name: string, text: string | undefined, options: MarkOptions) => {
      const title = wantedText(text, options, "title");
      if (title?.includes("\n"))
        throw new UserError("usage", "a title must be one line", "use `turnlog note` for longer text");
      const change = title === undefined ? undefined : { title };
      const session = await markSession(name, options, io, change && ((marks) => ({ ...marks, ...change })));
      await printMarks(session, neutralize(session.title ?? ""), options, io);
    });
}
