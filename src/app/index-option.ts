import type { Command } from "commander";

export interface IndexOptions {
  readonly index?: boolean; // false: --no-index
}

export function addIndexOption(command: Command): Command {
  return command.option("--no-index", "read the sessions themselves");
}
