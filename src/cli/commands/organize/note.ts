import type { Command } from "commander";
import { neutralize } from "../../../render/safe-text.js";
import type { CommandContext } from "../../io.js";
import { SESSION } from "../../options/session-argument.js";
import { addMarkOptions, type MarkOptions, markSession, printMarks, wantedText } from "./mark-session.js";

const EXAMPLES = `
The note is stored by turnlog, shown by \`turnlog show\`, and never exported.

Examples:
  turnlog note last "waits for the API key"   write one
  turnlog note last                           print it`;

export function define(command: Command, { io }: CommandContext): void {
  addMarkOptions(command)
    .argument("<session>", SESSION)
    .argument("[text]", "the note, of one or more lines (default: print the current one)")
    .option("--clear", "remove the note")
    .addHelpText("after", EXAMPLES)
    .action(async (name: string, text: string | undefined, options: MarkOptions) => {
      const note = wantedText(text, options, "note");
      const change = note === undefined ? undefined : { note };
      const session = await markSession(name, options, io, change && ((marks) => ({ ...marks, ...change })));
      await printMarks(session, neutralize(session.note ?? ""), options, io);
    });
}
