import type { Finding } from "./finders/finding.js";

/** On which line of a text each finding is. A secret of several lines leaves fewer behind, which later rounds must not miss. */
export class LineCounter {
  #text = "";
  #counted = { at: 0, line: 1 };
  /** What was taken out in this round and in all before it, by place in the text of the next round. */
  #taken: LostLines[] = [];
  #lost: readonly LostLines[] = [];
  #shift = 0;

  lineOf(text: string, { start, end }: Finding, replacement: string): number {
    if (text !== this.#text) this.#startRound(text);
    const { at, line } = this.#counted;
    this.#counted = { at: start, line: line + newlinesIn(text.slice(at, start)) };
    const before = this.#lost.filter((lost) => lost.at < start);
    const lines = newlinesIn(text.slice(start, end)) - newlinesIn(replacement);
    if (lines > 0) this.#taken.push({ at: start + this.#shift, lines });
    this.#shift += replacement.length - (end - start);
    return this.#counted.line + before.reduce((sum, lost) => sum + lost.lines, 0);
  }

  #startRound(text: string): void {
    this.#lost = [...this.#lost, ...this.#taken];
    this.#taken = [];
    this.#text = text;
    this.#shift = 0;
    this.#counted = { at: 0, line: 1 };
  }
}

interface LostLines {
  readonly at: number;
  readonly lines: number;
}

const newlinesIn = (text: string) => text.split("\n").length - 1;
