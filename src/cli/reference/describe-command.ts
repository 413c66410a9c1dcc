import type { Argument, Command, Option } from "commander";
import type { Io } from "../io.js";
import type { CommandEntry } from "../registry.js";
import { createCommand } from "../run-command.js";

/** A command as its own option parser knows it: completion and the man page are made from this. */
export interface CommandDescription {
  readonly name: string;
  readonly summary: string;
  readonly help: string;
  readonly arguments: readonly Value[];
  readonly options: readonly DescribedOption[];
  readonly commands: readonly CommandDescription[];
}

export interface DescribedOption {
  readonly flag: string; // the long one
  readonly summary: string;
  /** Null: the option takes no value. */
  readonly value: Value | null;
}

export interface Value {
  readonly name: string;
  /** Empty: anything. */
  readonly choices: readonly string[];
}

export async function describeCommand(entry: CommandEntry, io: Io): Promise<CommandDescription> {
  const command = createCommand(entry, await entry.load(), { io, args: [], exitCode: 0 });
  return { ...describe(command), name: entry.name };
}

function describe(command: Command): CommandDescription {
  const shown = command.createHelp();
  return {
    name: command.name(),
    summary: command.description(),
    help: helpOf(command),
    arguments: command.registeredArguments.map(toArgument),
    options: shown.visibleOptions(command).map(toOption),
    commands: shown.visibleCommands(command).map(describe),
  };
}

function helpOf(command: Command): string {
  let text = "";
  command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
  return text;
}

function toArgument(argument: Argument): Value {
  return { name: argument.name(), choices: argument.argChoices ?? [] };
}

function toOption(option: Option): DescribedOption {
  const takesValue = option.required || option.optional;
  const name = /[<[]([^\]>]+)/.exec(option.flags)?.[1] ?? "";
  return {
    flag: option.long ?? option.flags,
    summary: option.description,
    value: takesValue ? { name, choices: option.argChoices ?? [] } : null,
  };
}
