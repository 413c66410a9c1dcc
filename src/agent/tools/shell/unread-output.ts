import { StringDecoder } from "node:string_decoder";

/** What a command printed that nobody has read yet. Of too much the oldest goes: the newest says how things stand. */
export class UnreadOutput {
  readonly #decoder = new StringDecoder("utf8");
  #pieces: string[] = [];
  #length = 0;
  #dropped = 0;

  constructor(private readonly bound: number) {}

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  add(bytes: Buffer): void {
    const text = this.#decoder.write(bytes);
    if (text === "") return;
    this.#pieces.push(text);
    this.#length += text.length;
    while (this.#length > this.bound && this.#pieces.length > 1) this.#drop(this.#pieces.shift() ?? "");
  }

  /** The oldest of it, and how much was lost before it. */
  take(maxChars: number): { readonly text: string; readonly dropped: number } {
    const whole = this.#pieces.join("");
    const text = whole.slice(0, maxChars);
    const dropped = this.#dropped;
    this.#pieces = text.length < whole.length ? [whole.slice(maxChars)] : [];
    this.#length = whole.length - text.length;
    this.#dropped = 0;
    return { text, dropped };
  }

  #drop(piece: string): void {
    this.#length -= piece.length;
    this.#dropped += piece.length;
  }
}
