import type { Command } from "commander";
import {
  forgetMachine,
  leaveFolder,
  type SyncOptions,
  type SyncOutcome,
  syncSessions,
  withdrawSession,
} from "../../../app/organize/sync.js";
import { syncStatus } from "../../../app/organize/sync-status.js";
import type { RootOptions } from "../../../app/session-roots.js";
import { UserError } from "../../../errors.js";
import { neutralize } from "../../../render/safe-text.js";
import type { CommandContext, Io } from "../../io.js";
import { paintOutcome, paintSyncStatus } from "../../report/print-sync.js";
import { printedJson } from "../../terminal/printed-json.js";
import { openPrompter } from "../../terminal/prompter.js";

const ABOUT = `
The folder can be a network drive, a mounted host, or a folder that Dropbox, Syncthing or the like keeps on all machines. Run
the same command on each machine. Every machine writes only below its own part of the folder; sessions of the others
are then in \`list\`, \`show\`, \`search\`, \`stats\` and the web UI, with the name of their machine. Without a folder, all folders
that are known are synced: for cron, or for a hook of Claude Code.

Examples:
  turnlog sync ~/Dropbox/sessions --name laptop
  turnlog sync ~/Dropbox/sessions --encrypt --redact
  turnlog sync
  turnlog list --source desktop`;

interface CommandOptions extends SyncOptions {
  readonly json?: boolean;
}

export function define(command: Command, context: CommandContext): void {
  const { io } = context;
  const rootsOf = () => command.opts<RootOptions>();
  command
    .helpCommand(false)
    .addHelpText("after", ABOUT)
    .argument("[folder]", "a folder that your machines share; by default all that are known")
    .option("--name <name>", "name of this machine (default: its host name)")
    .option("--redact", "send everything without secrets, home folder and user name")
    .option("--no-redact", "send everything as it is again")
    .option("--encrypt", "encrypt everything with a passphrase, which is asked for each time")
    .option("--no-encrypt", "do not encrypt any more")
    .option("--passphrase-file <file>", "encrypt with the first line of a file, which is read each time")
    .option("--json", "print JSON")
    .action(async (folder: string | undefined, options: CommandOptions) => {
      const outcomes = await syncSessions(folder, { ...rootsOf(), ...given(options, command) }, io, asker(io));
      if (options.json) await io.stdout(printedJson(outcomes.map(toJson), io));
      else await io.stdout(neutralize(outcomes.map(paintOutcome).join("\n")));
      const stopped = outcomes.find((outcome) => outcome.stopped !== null)?.stopped;
      if (stopped) throw stopped;
    });
  command
    .command("status")
    .description("Show the folders, the other machines and their projects")
    .option("--json", "print JSON")
    .action(async (options: CommandOptions) => {
      const { json = options.json } = command.opts<CommandOptions>(); // the option of the same name above takes it
      const folders = await syncStatus(rootsOf(), io);
      if (json) await io.stdout(printedJson(folders, io));
      else if (folders.length === 0) io.stderr("no folder is synced (`turnlog sync <folder>` starts)\n");
      else await io.stdout(neutralize(folders.map(paintSyncStatus).join("\n")));
    });
  command
    .command("forget")
    .description("Remove the copies of another machine's sessions, and take no more")
    .argument("<machine>", "its name")
    .action(async (name: string) => {
      const { name: found } = await forgetMachine(name, io);
      await io.stdout(neutralize(`forgot ${found}; its part of the shared folder is unchanged\n`));
    });
  command
    .command("withdraw")
    .description("Remove a session of this machine from the shared folders and from the other machines")
    .argument("<session>", "session id, or a unique beginning of one")
    .action(async (name: string) => {
      const { id, folders } = await withdrawSession(name, io, asker(io));
      await io.stdout(neutralize(`withdrew ${id} from ${folders.join(", ")}; other machines drop it when they sync\n`));
    });
  command
    .command("remove")
    .description("Stop syncing with a folder; the folder is unchanged")
    .argument("<folder>", "the folder")
    .action(async (folder: string) => {
      const { folder: path } = leaveFolder(folder, io);
      await io.stdout(neutralize(`${path} is not synced any more\n`));
    });
}

/** Only what was typed: a missing option keeps what was set before. */
function given(options: CommandOptions, command: Command): Partial<SyncOptions> {
  const isGiven = (name: string) => command.getOptionValueSource(name) === "cli";
  return Object.fromEntries(Object.entries(options).filter(([name]) => isGiven(name)));
}

function asker(io: Io) {
  return async (folder: string, isNew: boolean): Promise<string> => {
    const prompter = openPrompter(io);
    try {
      const passphrase = await prompter.askSecret(`passphrase of ${folder}: `);
      if (!isNew || (await prompter.askSecret("again: ")) === passphrase) return passphrase;
      throw new UserError("usage", "the two passphrases differ", "try again");
    } finally {
      prompter.close();
    }
  };
}

function toJson({ membership, stopped, ...outcome }: SyncOutcome) {
  const { folder, machine, name } = membership;
  return { folder, machine, name, ...outcome, stopped: stopped?.message ?? null };
}
