import { Command, CommanderError, Option } from "commander";
import { UserError } from "../errors.js";
import type { CommandContext, Io } from "./io.js";
import type { CommandEntry, CommandModule } from "./registry.js";

/** Parses the options and runs the command; returns the exit code. Not in `main.ts`, because commander is slow to load. */
export async function runCommand(
  entry: CommandEntry,
  module: CommandModule,
  args: readonly string[],
  io: Io,
): Promise<number> {
  const context = { io, args, exitCode: 0 };
  const command = createCommand(entry, module, context);
  try {
    await command.parseAsync([...args], { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    throw error;
  }
  return context.exitCode;
}

/** A commander command that writes to `io` and reports wrong usage as a UserError. */
export function createCommand(
  { name, summary }: CommandEntry,
  { define }: CommandModule,
  context: CommandContext,
): Command {
  const hint = `run \`turnlog ${name} --help\` for its options`;
  const command = new Command(`turnlog ${name}`)
    .description(summary)
    .helpOption("-h, --help", "print this help")
    .configureOutput({ writeOut: (text) => context.io.stdout(text), writeErr: () => undefined })
    .exitOverride((error) => {
      if (error.exitCode === 0) throw new CommanderError(0, error.code, error.message);
      const isIncomplete = error.code === "commander.help"; // `turnlog trace` alone
      const message = isIncomplete ? `${name} needs a sub-command` : error.message.replace(/^error: /, "");
      throw new UserError("usage", message, hint, { cause: error });
    });
  define(command, context);
  // Last, so that help begins with the command's own options.
  return command
    .option(
      "--config-dir <folder>",
      "Claude Code's folder, or several separated by commas (default: CLAUDE_CONFIG_DIR, else ~/.claude)",
    )
    .addOption(new Option("--demo", "use the bundled demo sessions").conflicts("configDir"));
}
