import type { Readable } from "node:stream";

/** The world of a command: everything it may read from or write to besides files. */
export interface Io {
  /** For commands that are spoken to. */
  stdin(): Readable;
  /** Data. Wait for it before writing more: a slow reader must not fill the memory. */
  stdout(text: string | Uint8Array): Promise<void> | void;
  /** Talk. */
  stderr(text: string): void;
  /** For commands that run on: the listener is called when they are asked to end. Returns how to stop listening. */
  onInterrupt(listener: () => void): () => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly cwd: string;
  readonly isTerminal: boolean; // stdout is one
  readonly columns: number;
}
