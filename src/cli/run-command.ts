import { Command, CommanderError, Option } from "commander";
import { UserError } from "../errors.js";
import type { Io } from "./io.js";
import type { CommandEntry, CommandModule } from "./registry.js";

/** Reads the options and does what they say; returns the exit code. Apart from `main.ts`, since commander takes its time to load. */
export async function runCommand(
  entry: CommandEntry,
  { define }: CommandModule,
  args: readonly string[],
  io: Io,
): Promise<number> {
  const context = { io, args, exitCode: 0 };
  const command = createCommand(entry, io);
  define(command, context);
  try {
    await command.parseAsync([...args], { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    throw error;
  }
  return context.exitCode;
}

/** A commander command that writes to `io` and reports wrong usage as a UserError. */
function createCommand({ name, summary }: CommandEntry, io: Io): Command {
  const hint = `\`turnlog ${name} --help\` shows how it is used`;
  return new Command(`turnlog ${name}`)
    .description(summary)
    .option("--config-dir <folder>", "the client's folder, or several separated by commas (else CLAUDE_CONFIG_DIR)")
    .addOption(new Option("--demo", "the bundled demo sessions instead of yours").conflicts("configDir"))
    .helpOption("-h, --help", "show this help")
    .configureOutput({ writeOut: (text) => io.stdout(text), writeErr: () => undefined })
    .exitOverride((error) => {
      if (error.exitCode === 0) throw new CommanderError(0, error.code, error.message);
      const isIncomplete = error.code === "commander.help"; // `turnlog trace` alone
      const message = isIncomplete ? `what is ${name} to do?` : error.message.replace(/^error: /, "");
      throw new UserError("usage", message, hint, { cause: error });
    });
}
