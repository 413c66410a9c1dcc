/** What a use case needs to know about the process it runs in. */
export interface Environment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly cwd: string;
  /** Takes a message for the user about something that was skipped, while the work continues. */
  warn(message: string): void;
}
