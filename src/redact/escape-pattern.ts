/** Escapes a literal for use in a regular expression (without the `u` or `v` flag, or in them outside of classes). */
export function escapePattern(literal: string): string {
  return literal.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
