import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

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

/** Failures of the file system name their system call; anything else that is thrown is a bug. */
export function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}

/** Why something failed, in words: `permission denied`, without the code, system call and path around it. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (isFileError(error)) return error.message.replace(/^E\w+: /, "").replace(/, \w+(?: '.*)?$/s, "");
  return isFileError(error.cause) ? reasonOf(error.cause) : error.message;
}

/** A file that cannot be read, for those who asked for this one. */
export function unreadableFile(path: string, error: unknown): UserError {
  return new UserError("unreadable", `cannot read ${path}: ${reasonOf(error)}`, "check who may read it", {
    cause: error,
  });
}

/** The text of a file. Where a pipe has its name, this fails instead of waiting for what somebody may write to it. */
export function readText(path: string): string {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if (!fstatSync(file).isFIFO()) return readFileSync(file, "utf8");
    throw Object.assign(new Error(`EINVAL: not a file, open '${path}'`), { code: "EINVAL", syscall: "open", path });
  } finally {
    closeSync(file);
  }
}

/** The text of a file; undefined where there is none. Any other failure is thrown. */
export function readIfPresent(path: string): string | undefined {
  try {
    return readText(path);
  } catch (error) {
    if (isFileError(error) && (error.code === "ENOENT" || error.code === "ENOTDIR")) return undefined;
    throw error;
  }
}

/** The text of a file that only gives a hint; undefined where it is missing or cannot be read. */
export function readIfReadable(path: string): string | undefined {
  try {
    return readText(path);
  } catch (error) {
    if (isFileError(error)) return undefined;
    throw error;
  }
}

/** The system's code of an error (`ENOENT`), if it has one. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
