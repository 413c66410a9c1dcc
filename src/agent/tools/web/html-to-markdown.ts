import { decodeEntities } from "./decode-entities.js";
import { type HtmlPiece, readHtml } from "./read-html.js";

/**
 * A page as Markdown, for a model to read: words, headings, links, lists and code; no layout, no scripts. One pass, whatever
 * the page holds: a page may be made to keep whoever reads it busy for ever.
 */
export function htmlToMarkdown(html: string): string {
  const writer = new MarkdownWriter();
  for (const piece of readHtml(html)) writer.take(piece);
  return writer.finish();
}

const PREFIXES: Readonly<Record<string, string>> = {
  h1: "# ",
  h2: "## ",
  h3: "### ",
  h4: "#### ",
  h5: "#### ",
  h6: "#### ",
};
const PARAGRAPHS = new Set(
  "p div section article header footer main aside nav ul ol table blockquote dl dd dt form figure".split(" "),
);
const EMPHASIS: Readonly<Record<string, string>> = { b: "**", strong: "**", i: "*", em: "*" };

class MarkdownWriter {
  #out: string[] = [];
  #code: string[] | undefined;
  #isPre = false;
  /** Addresses of links that are open. */
  #links: string[] = [];
  #isFirstCell = true;

  take(piece: HtmlPiece): void {
    if (piece.kind === "text") this.#addText(piece.text);
    else if (this.#code) this.#endCode(piece.name, piece.isEnd);
    else this.#addTag(piece);
  }

  finish(): string {
    if (this.#code) this.#endCode(this.#isPre ? "pre" : "code", true);
    return this.#out
      .join("")
      .replace(/\n{3,}/g, "\n\n")
      .trim();
  }

  #addText(raw: string): void {
    const text = decodeEntities(raw);
    if (this.#code) this.#code.push(text);
    else this.#write(text.replace(/[\s\u00a0]+/g, " "));
  }

  /** No space at the beginning of a line, nor two beside each other. */
  #write(text: string): void {
    const last = this.#out.at(-1)?.at(-1) ?? "\n";
    const isAfterSpace = last === " " || last === "\n";
    const own = isAfterSpace ? text.replace(/^ /, "") : text;
    if (own !== "") this.#out.push(own);
  }

  #break(lines: string): void {
    while (this.#out.at(-1) === " ") this.#out.pop();
    const last = this.#out.at(-1);
    if (last?.endsWith(" ")) this.#out[this.#out.length - 1] = last.trimEnd();
    this.#out.push(lines);
  }

  #addTag({ name, isEnd, attributes }: Exclude<HtmlPiece, { kind: "text" }>): void {
    const prefix = PREFIXES[name];
    const emphasis = EMPHASIS[name];
    if (prefix !== undefined) this.#break(isEnd ? "\n\n" : `\n\n${prefix}`);
    else if (PARAGRAPHS.has(name)) this.#break("\n\n");
    else if (emphasis !== undefined) this.#out.push(emphasis);
    else if (name === "pre" || name === "code") this.#startCode(name, isEnd);
    else if (name === "a") this.#addLink(isEnd, attributes);
    else if (name === "td" || name === "th" || name === "tr") this.#addCell(name, isEnd);
    else if (name === "li" && !isEnd) this.#break("\n- ");
    else if (name === "br") this.#break("\n");
    else if (name === "hr") this.#break("\n\n---\n\n");
    else if (name === "img") this.#addPicture(attributes);
  }

  #addCell(name: string, isEnd: boolean): void {
    if (name === "tr") {
      this.#isFirstCell = true;
      this.#break("\n");
    } else if (!isEnd) {
      if (!this.#isFirstCell) this.#write(" | ");
      this.#isFirstCell = false;
    }
  }

  #addLink(isEnd: boolean, attributes: ReadonlyMap<string, string>): void {
    if (!isEnd) {
      this.#links.push(attributes.get("href") ?? "");
      this.#out.push("[");
      return;
    }
    const address = this.#links.pop();
    if (address !== undefined) this.#out.push(`](${address})`);
  }

  #addPicture(attributes: ReadonlyMap<string, string>): void {
    const alt = attributes.get("alt");
    if (alt) this.#out.push(`![${alt}]`);
  }

  /** Code keeps its spaces and its angle brackets. */
  #startCode(name: "pre" | "code", isEnd: boolean): void {
    if (isEnd) return;
    this.#code = [];
    this.#isPre = name === "pre";
  }

  #endCode(name: string, isEnd: boolean): void {
    if (!isEnd || name !== (this.#isPre ? "pre" : "code")) return;
    const text = this.#code?.join("") ?? "";
    this.#code = undefined;
    if (this.#isPre) this.#break(`\n\n\`\`\`\n${text.trim()}\n\`\`\`\n\n`);
    else this.#out.push(`\`${text}\``);
  }
}
