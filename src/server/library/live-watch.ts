import { liveEvents } from "../../app/live/live-events.js";
import type { LiveRow, LiveView } from "../../app/live/view-live.js";
import type { LiveNews } from "../api/events.js";
import type { EventHub } from "./event-hub.js";

export interface LiveWatchOptions {
  readonly hub: EventHub;
  /** The same one as long as the settings that it was made with. */
  open(): Promise<LiveView>;
  onProblem(message: string): void;
  readonly everyMs?: number;
}

const EVERY_MS = 2000;

/** Looks at the running sessions while someone is connected, and publishes when what is shown of them has changed. */
export class LiveWatch {
  readonly #options: Required<LiveWatchOptions>;
  #attending = 0;
  #timer: NodeJS.Timeout | undefined;
  #view: LiveView | undefined;
  #looking: Promise<readonly LiveRow[]> | undefined;
  #seen: { readonly rows: readonly LiveRow[]; readonly text: string; readonly at: number } | undefined;

  constructor(options: LiveWatchOptions) {
    this.#options = { everyMs: EVERY_MS, ...options };
  }

  /** The state of a moment ago, or of now. */
  look(): Promise<readonly LiveRow[]> {
    if (this.#seen && performance.now() - this.#seen.at < this.#options.everyMs)
      return Promise.resolve(this.#seen.rows);
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /** Keeps looking until the returned function is called. */
  attend(): () => void {
    this.#attending += 1;
    this.#schedule();
    let isAttending = true;
    return () => {
      if (isAttending) this.#attending -= 1;
      isAttending = false;
      if (this.#attending === 0) this.#rest();
    };
  }

  close(): void {
    this.#attending = 0;
    this.#rest();
    this.#view?.close();
    this.#view = undefined;
  }

  async #look(): Promise<readonly LiveRow[]> {
    const view = await this.#options.open();
    if (this.#view !== view) this.#view?.close();
    this.#view = view;
    const rows = view.look();
    const before = this.#seen;
    this.#seen = { rows, text: JSON.stringify(rows), at: performance.now() };
    if (before && before.text !== this.#seen.text) {
      const news = liveEvents(before.rows, rows, {}).map(({ kind, text, row: { id, title } }): LiveNews => {
        return { kind, text, id, title };
      });
      this.#options.hub.publish({ kind: "live", news });
    }
    return rows;
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.look()
        .catch((error: unknown) => this.#options.onProblem(String(error)))
        .finally(() => {
          this.#timer = undefined;
          if (this.#attending > 0) this.#schedule();
        });
    }, this.#options.everyMs);
  }

  /** What happens while no one looks is no news to whoever comes next. */
  #rest(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#seen = undefined;
  }
}
