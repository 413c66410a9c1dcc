import type { ServerEvent } from "./api/events.js";

/** Hands each event to everybody who listens. */
export class EventHub {
  readonly #listeners = new Set<(event: ServerEvent) => void>();

  /** Returns how to stop listening. */
  listen(listener: (event: ServerEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  publish(event: ServerEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
