import { PassThrough, type Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

const PASTE_START = "\u001b[200~";
const PASTE_END = "\u001b[201~";
const PIECES = /\P{Cc}+|\p{Cc}/gu;
const OPEN_SEQUENCE = /\u001b(?:\[[\d;]*)?$/;

export interface TextListener {
  /** Several characters in one piece. */
  onText(text: string): void;
  /** Bracketed paste: the terminal marks start and end of pasted text. */
  onPaste(text: string): void;
}

/**
 * The keys of a terminal, for readline. Pasted text goes to the listener instead: readline inserts it at the
 * end of the line, wherever the cursor is, and miscounts the rows (seen in Node 20).
 */
export class TerminalKeys extends PassThrough {
  readonly isTTY = true;
  readonly #decoder = new StringDecoder("utf8");
  /** Since its start. */
  #pasted: string | undefined;
  #isInSequence = false;

  constructor(
    private readonly terminal: Readable & { setRawMode?(isRaw: boolean): void },
    private readonly listener: TextListener,
  ) {
    super();
    terminal.on("data", (bytes: Buffer) => this.#take(this.#decoder.write(bytes)));
    terminal.on("end", () => this.end());
    terminal.on("error", () => this.end()); // it was closed
  }

  setRawMode(isRaw: boolean): void {
    this.terminal.setRawMode?.(isRaw);
  }

  override pause(): this {
    this.terminal.pause();
    return this;
  }

  override resume(): this {
    this.terminal.resume();
    return super.resume();
  }

  #take(text: string): void {
    if (this.#pasted !== undefined) {
      this.#takePasted(this.#pasted + text);
      return;
    }
    const at = text.indexOf(PASTE_START);
    this.#takeKeys(at < 0 ? text : text.slice(0, at));
    if (at >= 0) this.#takePasted(text.slice(at + PASTE_START.length));
  }

  #takePasted(text: string): void {
    const end = text.indexOf(PASTE_END);
    this.#pasted = end < 0 ? text : undefined;
    if (end < 0) return;
    this.listener.onPaste(toPlainText(text.slice(0, end)));
    this.#take(text.slice(end + PASTE_END.length));
  }

  #takeKeys(text: string): void {
    const sequence = this.#isInSequence ? 0 : text.indexOf("\u001b");
    const plain = sequence < 0 ? text : text.slice(0, sequence);
    for (const [piece] of plain.matchAll(PIECES)) {
      if (piece.length > 1) this.listener.onText(piece);
      else this.#press(piece);
    }
    if (sequence >= 0) this.#press(text.slice(sequence));
  }

  #press(keys: string): void {
    if (keys === "") return;
    this.#isInSequence = OPEN_SEQUENCE.test(keys);
    this.emit("data", Buffer.from(keys));
  }
}

/** Pasted text must not control the terminal. */
function toPlainText(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(/(?![\n\t])\p{Cc}/gu, "");
}
