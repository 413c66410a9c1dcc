/** The world of a command: everything it may read from or write to besides files. */
export interface Io {
  stdout(text: string): void;
  stderr(text: string): void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly cwd: string;
  readonly isTerminal: boolean; // stdout is one
  readonly columns: number;
}
