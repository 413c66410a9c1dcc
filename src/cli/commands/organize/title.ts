import type { Command } from "commander";
import { UserError } from "../../../errors.js";
import { neutralize } from "../../../render/safe-text.js";
import type { CommandContext } from "../../io.js";
import { addMarkOptions, type MarkOptions, markSession, printMarks, wantedText } from "./mark-session.js";

export function define(command: Command, { io }: CommandContext): void {
  addMarkOptions(command)
    .argument("<session>", "file path, id, unique id prefix, exact title, or `last`")
    .argument("[text]", "the title; without it, the one you gave is printed")
    .option("--clear", "back to the session's own title")
    .addHelpText("after", "\nThe title is kept by turnlog; the session's file stays as it is.")
    .action(async (name: string, text: string | undefined, options: MarkOptions) => {
      const title = wantedText(text, options, "title");
      if (title?.includes("\n"))
        throw new UserError("usage", "a title has one line", "`turnlog note` keeps longer texts");
      const change = title === undefined ? undefined : { title };
      const session = await markSession(name, options, io, change && ((marks) => ({ ...marks, ...change })));
      await printMarks(session, neutralize(session.title ?? ""), options, io);
    });
}
