import type { Readable } from "node:stream";

/** The world of a command: everything it may read from or write to besides files. */
export interface Io {
  /** For commands that are spoken to. */
  stdin(): Readable;
  /** Data. Wait for it before writing more: a slow reader must not fill the memory. */
  stdout(text: string | Uint8Array): Promise<void> | void;
  /** Talk. */
  stderr(text: string): void;
  /** Starts a program that shows on the terminal what it is given; null where it cannot be started. */
  startPager(command: PagerCommand): Promise<Pager | null>;
  /** For commands that run on: the listener is called when they are asked to end. Returns how to stop listening. */
  onInterrupt(listener: () => void): () => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly cwd: string;
  readonly isTerminal: boolean; // stdout is one
  readonly columns: number;
}

export interface PagerCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** Added to the environment. */
  readonly env: Readonly<Record<string, string>>;
}

export interface Pager {
  /** Waits while the reader is behind; false when the reader has quit. */
  write(text: string): Promise<boolean>;
  /** Waits until the reader has quit. */
  close(): Promise<void>;
}
