/**
 * The file takes no more bytes for now: the disk is full, or failing. The lines are kept in order and written by the
 * next append or flush that succeeds, so whoever catches this must not append them again.
 */
export class StalledError extends Error {
  override readonly name = "StalledError";
  /** The system's code, such as ENOSPC or EIO. */
  readonly code: string | undefined;

  constructor(
    readonly path: string,
    readonly queuedLines: number,
    override readonly cause: NodeJS.ErrnoException,
  ) {
    super(`cannot write to ${path}: ${cause.message}`, { cause });
    this.code = cause.code;
  }
}
