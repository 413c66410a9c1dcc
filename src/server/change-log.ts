const MOST = 100;

/** Which files each of the latest generations of the index took in. */
export class ChangeLog {
  readonly #paths = new Map<number, readonly string[] | undefined>();

  /** Without paths: anything may have changed. */
  note(generation: number, paths: readonly string[] | undefined): void {
    this.#paths.set(generation, paths);
    this.#paths.delete(generation - MOST);
  }

  /** All after this generation together; undefined where one of them is unknown. */
  since(generation: number): readonly string[] | undefined {
    const later = [...this.#paths].filter(([known]) => known > generation);
    const isWhole = this.#paths.has(generation + 1) && later.every(([, paths]) => paths !== undefined);
    return isWhole ? [...new Set(later.flatMap(([, paths]) => paths ?? []))] : undefined;
  }
}
