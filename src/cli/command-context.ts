import type { Io } from "../app/io.js";

export interface CommandContext {
  readonly io: Io;
  /** What the process ends with when the command found something wrong without failing itself. */
  exitCode: number;
}
