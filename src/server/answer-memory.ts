const MOST_ANSWERS = 64;

/** Answers that hold for as long as what they were made of is the same. */
export class AnswerMemory {
  readonly #answers = new Map<string, Promise<unknown>>();
  #state: readonly unknown[] = [];

  /** `state` is compared part by part; whoever asks for the same while it is worked out gets the same answer. */
  get<T>(state: readonly unknown[], name: string, work: () => Promise<T>): Promise<T> {
    if (state.length !== this.#state.length || state.some((part, at) => part !== this.#state[at])) {
      this.#answers.clear();
      this.#state = state;
    }
    const known = this.#answers.get(name) as Promise<T> | undefined;
    if (known) return known;
    const answer = work();
    this.#answers.set(name, answer);
    answer.catch(() => this.#answers.delete(name));
    const [oldest] = this.#answers.keys();
    if (oldest !== undefined && this.#answers.size > MOST_ANSWERS) this.#answers.delete(oldest);
    return answer;
  }
}
