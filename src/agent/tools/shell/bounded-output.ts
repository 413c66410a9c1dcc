import { StringDecoder } from "node:string_decoder";

/** Keeps the beginning of what a command prints, and all of it up to a larger bound for the file beside the session. */
export class BoundedOutput {
  readonly #decoder = new StringDecoder("utf8");
  readonly #pieces: string[] = [];
  #length = 0;
  #dropped = 0;

  constructor(private readonly bound: number) {}

  add(bytes: Buffer): void {
    const text = this.#decoder.write(bytes);
    const room = this.bound - this.#length;
    if (room > 0) this.#pieces.push(text.slice(0, room));
    this.#length += Math.min(text.length, Math.max(room, 0));
    this.#dropped += Math.max(text.length - Math.max(room, 0), 0);
  }

  get text(): string {
    const note = this.#dropped > 0 ? `\n… (${this.#dropped} more characters were dropped)` : "";
    return this.#pieces.join("") + note;
  }
}
