import type { ServerEvent } from "../api/events.js";

/** Passes each event to all listeners. */
export class EventHub {
  readonly #listeners = new Set<(event: ServerEvent) => void>();

  /** Returns a function that removes the listener. */
  listen(listener: (event: ServerEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  publish(event: ServerEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
