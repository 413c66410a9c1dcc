/** Of sessions with the same id the first alone. */
export function withoutCopies<Session extends { readonly id: string }>(sessions: readonly Session[]): Session[] {
  const seen = new Set<string>();
  return sessions.filter(({ id }) => !seen.has(id) && seen.add(id));
}
