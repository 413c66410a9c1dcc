type Listener = (message: string) => void;

const listeners = new Set<Listener>();

/** Lines for the user about what the store did unasked, such as setting a damaged database aside. Returns how to stop listening. */
export function listenToNotices(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function notice(message: string): void {
  for (const listener of listeners) listener(message);
}
