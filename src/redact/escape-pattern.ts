/** Escapes a literal for use in a regular expression without the `u` and `v` flags. */
export function escapePattern(literal: string): string {
  return literal.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
