import type { Command } from "commander";
import type { CommandContext } from "../../io.js";
import { SHELLS } from "../../reference/completion-scripts.js";

export function define(command: Command, { io }: CommandContext): void {
  command.helpCommand(false);
  for (const [shell, { script, setup }] of Object.entries(SHELLS)) {
    command
      .command(shell)
      .description(`Print the script for ${shell}; ${setup}`)
      .action(() => io.stdout(script));
  }
}
