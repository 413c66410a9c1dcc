import type { Redactor } from "../../redact/create-redactor.js";
import { neutralize } from "../../render/safe-text.js";
import { paintWords } from "../../render/terminal/paint-text.js";

export interface Terminal {
  readonly columns: number;
  /** Somebody types: only whole lines find a place above. */
  readonly isBusy: boolean;
  tell(text: string): void;
}

/** The words of an answer while they come, in rows that end between words. */
export class AnswerStream {
  /** The line that streams, and how much of it can be seen: in rows that were left, and in those that grow. */
  #line = "";
  #shown = "";
  #above = "";
  #rows = "";
  /** As wide as the window was at the first word: rows that were painted stay. */
  #columns = 0;
  #asides: readonly string[] = [];

  constructor(
    private readonly terminal: Terminal,
    private readonly redactor: Redactor,
  ) {}

  /** The next word would stand behind others. */
  get isInRow(): boolean {
    return this.#rows !== "";
  }

  /** Word by word; a line in which something must be hidden comes as a whole. */
  add(text: string): void {
    const lines = (this.#line + text).split("\n");
    const last = lines.pop() ?? "";
    for (const line of lines) this.#finish(line);
    this.#line = last;
    if (this.terminal.isBusy) return;
    const part = settledPart(last, (words) => this.redactor.text(words) !== words);
    if (part.startsWith(this.#shown)) this.terminal.tell(this.#grow(part));
  }

  /** What is left of the line that streams. */
  end(): void {
    if (this.#line !== "") this.#finish(this.#line);
    else this.#sayAsides();
  }

  /** What streams on does so in a new row. */
  breakRow(): void {
    if (!this.isInRow) return;
    this.#above = this.#shown;
    this.#rows = "";
    this.terminal.tell("\n");
  }

  /** Lines that are no part of the answer: they wait for the end of its line. */
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

  /** What shows this much of the line, after what can be seen of it. */
  #grow(text: string): string {
    const isGoneOn = this.#above !== "" && text.startsWith(this.#above);
    const rows = this.#toRows(isGoneOn ? text.slice(this.#above.length).trimStart() : text);
    const grown = rows.startsWith(this.#rows) ? rows.slice(this.#rows.length) : this.#erase() + rows;
    this.#shown = text;
    this.#rows = rows;
    return grown;
  }

  /** What takes away the beginning of a line that turned out otherwise. */
  #erase(): string {
    const rowsAbove = this.#rows.split("\n").length - 1;
    return `\r${rowsAbove > 0 ? `\u001b[${rowsAbove}A` : ""}\u001b[J`;
  }

  /** Spaces at the end come with the next word, if that has room. */
  #toRows(text: string): string {
    if (this.#rows === "") this.#columns = this.terminal.columns;
    const line = neutralize(text).replaceAll("\t", "    ").trimEnd();
    return paintWords([{ text: line, ink: null }], { columns: this.#columns }).join("\n");
  }
}

const MAX_CHARS = 4_000;

/** Up to the end of a word; scripts without spaces have one after each character. */
const WORDS = /^.*[\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uff65]/su;
const LETTER = /[\p{L}\p{N}]/u;

/**
 * How much of a line that still grows may be shown: whole words, up to a quote that is not closed yet, and nothing once
 * there is a secret. A secret is only known by all of it and what stands before it.
 */
function settledPart(line: string, hasSecret: (text: string) => boolean): string {
  const words = wholeWords(line.slice(0, MAX_CHARS));
  const part = wholeWords(words.slice(0, openQuote(words)));
  return hasSecret(part) ? "" : part;
}

function wholeWords(text: string): string {
  return WORDS.exec(text)?.[0] ?? "";
}

/** Where it is; undefined: all are closed. An apostrophe is none. */
function openQuote(text: string): number | undefined {
  let open: number | undefined;
  for (const { 0: mark, index } of text.matchAll(/["'`]/g)) {
    if (open !== undefined) open = text[open] === mark ? undefined : open;
    else if (mark !== "'" || !LETTER.test(text[index - 1] ?? "")) open = index;
  }
  return open;
}
