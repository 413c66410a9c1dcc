/** Failures of the file system name their system call; anything else that is thrown is a bug. */
export function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}
