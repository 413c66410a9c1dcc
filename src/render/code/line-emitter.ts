import type { Emitter } from "highlight.js";
import type { HighlightedSpan } from "./highlighted-line.js";

/** Takes what highlight.js finds as lines at once: by its own way, a tree and its HTML, colours take half as long again. */
export class LineEmitter implements Emitter {
  readonly lines: HighlightedSpan[][] = [[]];
  length = 0; // characters, breaks of lines included
  readonly #scopes: string[] = [];

  addText(text: string): void {
    this.#add(text, this.#scopes.at(-1) ?? null);
  }

  startScope(scope: string): void {
    this.#scopes.push(scope);
  }

  endScope(): void {
    this.#scopes.pop();
  }

  // highlight.js calls scopes by both names.
  openNode(scope: string): void {
    this.startScope(scope);
  }

  closeNode(): void {
    this.endScope();
  }

  __addSublanguage(inner: LineEmitter): void {
    for (const [index, line] of inner.lines.entries()) {
      if (index > 0) this.#add("\n", null);
      for (const { text, scope } of line) this.#add(text, scope);
    }
  }

  finalize(): void {
    this.#scopes.length = 0;
  }

  toHTML(): string {
    return "";
  }

  #add(text: string, scope: string | null): void {
    this.length += text.length;
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      this.#addToLine(text.slice(start, end), scope);
      this.lines.push([]);
      start = end + 1;
    }
    this.#addToLine(start === 0 ? text : text.slice(start), scope);
  }

  #addToLine(text: string, scope: string | null): void {
    if (text === "") return;
    const line = this.lines.at(-1);
    const last = line?.at(-1);
    if (line && last?.scope === scope) line[line.length - 1] = { text: last.text + text, scope };
    else line?.push({ text, scope });
  }
}
