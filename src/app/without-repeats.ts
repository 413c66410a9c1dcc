/** Drops a message that equals the one before. */
export function withoutRepeats(tell: (note: string) => void): (note: string) => void {
  let last = "";
  return (note) => {
    if (note !== last) tell(note);
    last = note;
  };
}

/** Keeps the first of sessions with the same id. */
export function withoutCopies<Session extends { readonly id: string }>(sessions: readonly Session[]): Session[] {
  const seen = new Set<string>();
  return sessions.filter(({ id }) => !seen.has(id) && seen.add(id));
}
