import type { Io } from "../app/io.js";

export interface CommandContext {
  readonly io: Io;
  /** As they were given, after the name of the command. */
  readonly args: readonly string[];
  /** What the process ends with when the command found something wrong without failing itself. */
  exitCode: number;
}
