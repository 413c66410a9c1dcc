import type { Command } from "commander";
import { addSource, listSources, removeSource } from "../../../app/organize/sources.js";
import { formatCount } from "../../../render/format-values.js";
import { neutralize } from "../../../render/safe-text.js";
import { paintPlainTable } from "../../../render/terminal/lists/list-table.js";
import type { CommandContext, Io } from "../../io.js";
import { printedJson } from "../../terminal/printed-json.js";

interface SourceOptions {
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  turnlog source add laptop /mnt/backup/laptop/.claude
  turnlog source add windows /mnt/c/Users/me/.claude       from inside WSL
  turnlog source add wsl '\\\\wsl$\\Debian\\home\\me\\.claude'   from Windows
  turnlog list --source laptop`;

export function define(command: Command, { io }: CommandContext): void {
  command.helpCommand(false).addHelpText("after", EXAMPLES);
  command
    .command("list", { isDefault: true })
    .description("List the sources and how many sessions each has")
    .option("--json", "print JSON")
    .action((options: SourceOptions) => printSources(options, io));
  command
    .command("add")
    .description("Add a folder of sessions: of another machine, WSL or a backup")
    .argument("<name>", "name of the source")
    .argument("<folder>", "a Claude Code folder, or any folder with sessions")
    .option("--json", "print JSON")
    .action(async (name: string, folder: string, { json }: SourceOptions) => {
      const source = await addSource(name, folder, io);
      const { path, sessions } = source;
      const text = `${name}: ${formatCount(sessions ?? 0, "session")} in ${path}\n`;
      await io.stdout(json ? printedJson(source, io) : neutralize(text));
    });
  command
    .command("remove")
    .description("Remove a source; its files stay")
    .argument("<name>", "name of the source")
    .action(async (name: string) => {
      const source = await removeSource(name, io);
      await io.stdout(neutralize(`removed source ${source.name}; ${source.path} is unchanged\n`));
    });
}

async function printSources({ json }: SourceOptions, io: Io): Promise<void> {
  const sources = await listSources(io);
  if (json) await io.stdout(printedJson(sources, io));
  else if (sources.length === 0) io.stderr("no sources (`turnlog source add <name> <folder>` adds one)\n");
  else {
    const rows = sources.map(({ name, sessions, path }) => [
      neutralize(name),
      sessions === null ? "not available" : formatCount(sessions, "session"),
      neutralize(path),
    ]);
    await io.stdout(`${paintPlainTable(rows)}\n`);
  }
}
