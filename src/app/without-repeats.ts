/** Drops a message that equals the one before. */
export function withoutRepeats(report: (note: string) => void): (note: string) => void {
  let last = "";
  return (note) => {
    if (note !== last) report(note);
    last = note;
  };
}

/** Keeps the first of sessions with the same id. */
export function withoutCopies<Session extends { readonly id: string }>(sessions: readonly Session[]): Session[] {
  const seen = new Set<string>();
  return sessions.filter(({ id }) => !seen.has(id) && seen.add(id));
}
