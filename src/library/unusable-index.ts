import { UserError } from "../errors.js";
import { reasonOf } from "../format/file-error.js";
import { errorCode } from "../store/error-code.js";
import { isBusy, isCorrupt, isUnwritable } from "../store/sqlite.js";

/** What keeps an index from being used does not keep a command from answering. */
export class UnusableIndex extends Error {}

export function orUnusable<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toUnusable(error);
  }
}

export function toUnusable(error: unknown): unknown {
  if (error instanceof UserError) return new UnusableIndex(error.message, { cause: error });
  return isSystemError(error) ? unwritable(error) : error;
}

/** `ENOSPC`, but not `ERR_SQLITE_ERROR`. */
function isSystemError(error: unknown): boolean {
  return /^E(?!RR_)/.test(errorCode(error) ?? "");
}

/** Undefined: the error has nothing to do with the index. */
export function whyUnusable(error: unknown): string | undefined {
  if (error instanceof UnusableIndex) return error.message;
  if (isBusy(error)) return "the index is locked by another program";
  if (isCorrupt(error)) return "the index is damaged";
  return isUnwritable(error) ? unwritable(error).message : undefined;
}

function unwritable(error: unknown): UnusableIndex {
  return new UnusableIndex(`the index cannot be written (${reasonOf(error)})`, { cause: error });
}
