/** What a person can fix. `usage` ends the command line with exit code 2, every other code with 1. */
export type UserErrorCode =
  | "usage"
  | "not-found"
  | "ambiguous"
  | "unreadable"
  | "exists"
  | "config"
  | "locked"
  | "busy"
  | "newer";

/** One clear line and a hint; never shown with a stack. Anything else that is thrown is a bug. */
export class UserError extends Error {
  override readonly name = "UserError";

  constructor(
    readonly code: UserErrorCode,
    message: string,
    readonly hint?: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
