import type { Command } from "commander";
import type { RootOptions } from "../../app/roots.js";
import { listArchive, restoreFromArchive, switchArchive, writeArchiveStatus } from "../archive-actions.js";
import type { CommandContext } from "../command-context.js";

const ABOUT = `
Clients delete sessions after 30 days. While the archive is on, turnlog keeps a compressed copy of every session and its
side files; what the client deleted is listed, shown and exported from there. In config.json,
  "archive": { "maxBytes": 5000000000, "keepDays": 365 }
limits it: the oldest deleted sessions go first, never favourites or tagged ones, never copies of what is still there.`;

export interface ArchiveOptions extends RootOptions {
  readonly json?: boolean;
  readonly to?: string;
  readonly former?: boolean;
}

export function define(command: Command, { io }: CommandContext): void {
  command.helpCommand(false).addHelpText("after", ABOUT);
  const add = (name: string, summary: string, isDefault = false) =>
    command.command(name, { isDefault }).description(summary).option("--json", "as JSON");
  const rootsOf = () => command.opts<RootOptions>();
  add("status", "whether it is on, what it holds and what it takes", true).action((options: ArchiveOptions) =>
    writeArchiveStatus(options, io),
  );
  add("on", "keeps copies from now on, beginning at once").action((options: ArchiveOptions) =>
    switchArchive(true, { ...rootsOf(), ...options }, io),
  );
  add("off", "makes no more copies; those that there are stay").action((options: ArchiveOptions) =>
    switchArchive(false, { ...rootsOf(), ...options }, io),
  );
  add("list", "every copy, those of deleted sessions marked").action((options: ArchiveOptions) =>
    listArchive(options, io),
  );
  add("restore", "puts a session back where it was; nothing is overwritten")
    .argument("<session>", "id, unique id prefix or former path")
    .option("--to <folder>", "below this folder instead")
    .option("--former", "as it was before its file was last cut or replaced")
    .action((name: string, options: ArchiveOptions) => restoreFromArchive(name, options, io));
}
