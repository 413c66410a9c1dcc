import type { Command } from "commander";
import type { CommandContext } from "../../io.js";
import { SESSION } from "../../options/session-argument.js";
import { addMarkOptions, type MarkOptions, markSession, printMarks } from "./mark-session.js";

interface FavouriteOptions extends MarkOptions {
  readonly off?: boolean;
}

const EXAMPLES = `
\`turnlog list --favourites\` lists them. The archive never removes a favourite.

Examples:
  turnlog favourite last      mark it
  turnlog list --favourites   list them`;

export function define(command: Command, { io }: CommandContext): void {
  addMarkOptions(command)
    .argument("<session>", SESSION)
    .option("--off", "remove the mark")
    .addHelpText("after", EXAMPLES)
    .action(async (name: string, options: FavouriteOptions) => {
      const favourite = !options.off;
      const session = await markSession(name, options, io, (marks) => ({ ...marks, favourite }));
      await printMarks(session, `${session.id} is ${favourite ? "a favourite" : "not a favourite"}`, options, io);
    });
}
