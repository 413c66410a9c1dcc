import type { Redactor } from "../../redact/create-redactor.js";
import { neutralize } from "../../render/safe-text.js";
import { paintWords } from "../../render/terminal/paint-text.js";

export interface Terminal {
  readonly columns: number;
  /** The user is typing: only complete lines can be written above. */
  readonly isBusy: boolean;
  tell(text: string): void;
}

/** Writes an answer while it streams, in rows that break between words. */
export class AnswerStream {
  /** The current line, and how much of it is visible: in finished rows and in growing ones. */
  #line = "";
  #shown = "";
  #above = "";
  #rows = "";
  /** The width at the first word: painted rows stay. */
  #columns = 0;
  #asides: readonly string[] = [];

  constructor(
    private readonly terminal: Terminal,
    private readonly redactor: Redactor,
  ) {}

  /** The cursor is behind other words. */
  get isInRow(): boolean {
    return this.#rows !== "";
  }

  /** Writes word by word; a line with a secret is written as a whole. */
  add(text: string): void {
    const lines = (this.#line + text).split("\n");
    const last = lines.pop() ?? "";
    for (const line of lines) this.#finish(line);
    this.#line = last;
    if (this.terminal.isBusy) return;
    const part = settledPart(last, (words) => this.redactor.text(words) !== words);
    if (part.startsWith(this.#shown)) this.terminal.tell(this.#grow(part));
  }

  /** Writes the rest of the current line. */
  end(): void {
    if (this.#line !== "") this.#finish(this.#line);
    else this.#sayAsides();
  }

  /** Continues in a new row. */
  breakRow(): void {
    if (!this.isInRow) return;
    this.#above = this.#shown;
    this.#rows = "";
    this.terminal.tell("\n");
  }

  /** Writes lines that are not part of the answer, after the current line. */
  aside(text: string): void {
    this.#asides = [...this.#asides, text];
    if (!this.isInRow) this.#sayAsides();
  }

  #finish(line: string): void {
    this.terminal.tell(`${this.#grow(this.redactor.text(line))}\n`);
    this.#line = "";
    this.#shown = "";
    this.#above = "";
    this.#rows = "";
    this.#sayAsides();
  }

  #sayAsides(): void {
    for (const text of this.#asides) this.terminal.tell(text);
    this.#asides = [];
  }

  /** The output that extends the visible part to this text. */
  #grow(text: string): string {
    const isGoneOn = this.#above !== "" && text.startsWith(this.#above);
    const rows = this.#toRows(isGoneOn ? text.slice(this.#above.length).trimStart() : text);
    const grown = rows.startsWith(this.#rows) ? rows.slice(this.#rows.length) : this.#erase() + rows;
    this.#shown = text;
    this.#rows = rows;
    return grown;
  }

  /** Erases the visible part of the current line. */
  #erase(): string {
    const rowsAbove = this.#rows.split("\n").length - 1;
    return `\r${rowsAbove > 0 ? `\u001b[${rowsAbove}A` : ""}\u001b[J`;
  }

  /** Trailing spaces are written with the next word. */
  #toRows(text: string): string {
    if (this.#rows === "") this.#columns = this.terminal.columns;
    const line = neutralize(text).replaceAll("\t", "    ").trimEnd();
    return paintWords([{ text: line, ink: null }], { columns: this.#columns }).join("\n");
  }
}

const MAX_CHARS = 4_000;

/** Up to the end of a word; in scripts without spaces, after each character. */
const WORDS = /^.*[\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uff65]/su;
const LETTER = /[\p{L}\p{N}]/u;

/**
 * How much of a growing line may be shown: complete words, up to an open quote, and nothing once there is a
 * secret. A secret is recognized only as a whole with what precedes it.
 */
function settledPart(line: string, hasSecret: (text: string) => boolean): string {
  const words = wholeWords(line.slice(0, MAX_CHARS));
  const part = wholeWords(words.slice(0, openQuote(words)));
  return hasSecret(part) ? "" : part;
}

function wholeWords(text: string): string {
  return WORDS.exec(text)?.[0] ?? "";
}

/** The offset of an open quote; undefined: all are closed. An apostrophe is not a quote. */
function openQuote(text: string): number | undefined {
  let open: number | undefined;
  for (const { 0: mark, index } of text.matchAll(/["'`]/g)) {
    if (open !== undefined) open = text[open] === mark ? undefined : open;
    else if (mark !== "'" || !LETTER.test(text[index - 1] ?? "")) open = index;
  }
  return open;
}
