import { statSync } from "node:fs";
import { type Index, openIndex, orUnusable, whyUnusable } from "../../library/catalog/open-index.js";
import { useIndex } from "../../library/sync/use-index.js";
import { isCorrupt } from "../../store/sqlite.js";

interface KeptIndexOptions {
  readonly dataFolder: string;
  readonly roots: readonly string[];
  onNote(note: string): void;
}

/** Keeps the index open between requests, so that SQLite keeps its page cache. */
export class KeptIndex {
  readonly #options: KeptIndexOptions;
  #kept: { readonly index: Index; readonly file: string } | undefined;

  constructor(options: KeptIndexOptions) {
    this.#options = options;
  }

  /** `query` gets the index as far as it is built, or undefined where it is unusable. */
  async use<T>(query: (index: Index | undefined) => T | Promise<T>): Promise<T> {
    try {
      return await query(this.#open());
    } catch (error) {
      if (!isCorrupt(error) && whyUnusable(error) === undefined) throw error;
      this.close();
      const { dataFolder, roots, onNote } = this.#options;
      return useIndex(dataFolder, roots, { onNote, sync: false }, query);
    }
  }

  close(): void {
    this.#kept?.index.close();
    this.#kept = undefined;
  }

  /** Reopens an index that was rebuilt, which is a new file. */
  #open(): Index {
    if (this.#kept && fileOf(this.#kept.index.path) !== this.#kept.file) this.close();
    if (!this.#kept) {
      const index = orUnusable(() => openIndex(this.#options.dataFolder));
      this.#kept = { index, file: fileOf(index.path) };
    }
    return this.#kept.index;
  }
}

function fileOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats ? `${stats.dev} ${stats.ino}` : "";
}
