import type { Readable } from "node:stream";
import type { Environment } from "../app/settings.js";

/** Everything a command may read from or write to besides files. */
export interface Io extends Environment {
  stdin(): Readable;
  /** Data. Await it before writing more, so that a slow reader does not fill the memory. */
  stdout(text: string | Uint8Array): Promise<void> | void;
  /** Messages. */
  stderr(text: string): void;
  /** Starts a pager on the terminal; null if it cannot be started. */
  startPager(command: PagerCommand): Promise<Pager | null>;
  /** For long-running commands: calls the listener when the process should end. Returns a function that stops listening. */
  onInterrupt(listener: () => void): () => void;
  readonly isTerminal: boolean; // stdout is one
  readonly columns: number;
  /** Undefined where stdout is no terminal. */
  readonly rows?: number | undefined;
}

/** What a command's `define` gets to work with. */
export interface CommandContext {
  readonly io: Io;
  /** The arguments after the command's name. */
  readonly args: readonly string[];
  /** The exit code of a command that found a problem without failing itself. */
  exitCode: number;
}

export interface PagerCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** Added to the environment. */
  readonly env: Readonly<Record<string, string>>;
}

export interface Pager {
  /** Resolves when the pager has taken the text; false if it was quit. */
  write(text: string): Promise<boolean>;
  /** Resolves when the pager was quit. */
  close(): Promise<void>;
}
