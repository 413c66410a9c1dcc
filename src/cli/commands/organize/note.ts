import type { Command } from "commander";
import { neutralize } from "../../../render/safe-text.js";
import type { CommandContext } from "../../io.js";
import { addMarkOptions, type MarkOptions, markSession, printMarks, wantedText } from "./mark-session.js";

export function define(command: Command, { io }: CommandContext): void {
  addMarkOptions(command)
    .argument("<session>", "file path, id, unique id prefix, exact title, or `last`")
    .argument("[text]", "the note, of one line or many; without it, the one you wrote is printed")
    .option("--clear", "take the note away")
    .addHelpText("after", "\nThe note is kept by turnlog, shown by `turnlog show`, and never part of an export.")
    .action(async (name: string, text: string | undefined, options: MarkOptions) => {
      const note = wantedText(text, options, "note");
      const change = note === undefined ? undefined : { note };
      const session = await markSession(name, options, io, change && ((marks) => ({ ...marks, ...change })));
      await printMarks(session, neutralize(session.note ?? ""), options, io);
    });
}
