import type { Command } from "commander";
import type { CommandContext } from "../../io.js";
import { addMarkOptions, type MarkOptions, markSession, printMarks } from "./mark-session.js";

interface FavouriteOptions extends MarkOptions {
  readonly off?: boolean;
}

export function define(command: Command, { io }: CommandContext): void {
  addMarkOptions(command)
    .argument("<session>", "file path, id, unique id prefix, exact title, or `last`")
    .option("--off", "no favourite any more")
    .addHelpText("after", "\n`turnlog list --favourites` shows them. The archive never drops a favourite.")
    .action(async (name: string, options: FavouriteOptions) => {
      const favourite = !options.off;
      const session = await markSession(name, options, io, (marks) => ({ ...marks, favourite }));
      await printMarks(session, `${session.id} is ${favourite ? "a favourite" : "no favourite"}`, options, io);
    });
}
