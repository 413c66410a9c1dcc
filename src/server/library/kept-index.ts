import {
  type Index,
  NO_INDEX,
  openIndex,
  orUnusable,
  toDamage,
  whyUnusable,
} from "../../library/catalog/open-index.js";
import { useIndex } from "../../library/sync/use-index.js";
import { currentFile } from "../../store/own-database.js";

interface KeptIndexOptions {
  readonly dataFolder: string;
  readonly roots: readonly string[];
  onNote(note: string): void;
}

/** Keeps the index open between requests, so that SQLite keeps its page cache. */
export class KeptIndex {
  readonly #options: KeptIndexOptions;
  #kept: Index | undefined;

  constructor(options: KeptIndexOptions) {
    this.#options = options;
  }

  /** `query` gets the index as far as it is built, or undefined where it is unusable. */
  async use<T>(query: (index: Index | undefined) => T | Promise<T>): Promise<T> {
    try {
      return await query(this.#open());
    } catch (error) {
      if (!this.#mayBeReason(error)) throw error;
      this.close();
      const { dataFolder, roots, onNote } = this.#options;
      return useIndex(dataFolder, roots, { onNote, sync: false }, query);
    }
  }

  close(): void {
    this.#kept?.close();
    this.#kept = undefined;
  }

  #mayBeReason(error: unknown): boolean {
    return whyUnusable(error) !== undefined || toDamage(error, this.#kept ?? NO_INDEX) !== undefined;
  }

  /** Reopens an index that was rebuilt, which is a new file. */
  #open(): Index {
    if (this.#kept && currentFile(this.#kept.path) !== this.#kept.file) this.close();
    this.#kept ??= orUnusable(() => openIndex(this.#options.dataFolder));
    return this.#kept;
  }
}
