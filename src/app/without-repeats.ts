/** A note that comes again and again is told once. */
export function withoutRepeats(tell: (note: string) => void): (note: string) => void {
  let last = "";
  return (note) => {
    if (note !== last) tell(note);
    last = note;
  };
}

/** Of sessions with the same id the first alone. */
export function withoutCopies<Session extends { readonly id: string }>(sessions: readonly Session[]): Session[] {
  const seen = new Set<string>();
  return sessions.filter(({ id }) => !seen.has(id) && seen.add(id));
}
