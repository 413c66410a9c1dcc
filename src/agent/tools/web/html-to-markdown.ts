/**
 * Converts a page to Markdown for the model: text, headings, links, lists and code; no layout, no scripts. One pass over any
 * input, so that a hostile page cannot make it slow.
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
  /** Targets of open links. */
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

  /** No space at the start of a line, and no two in a row. */
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

  /** Code keeps its spaces. */
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

/** A token of HTML. */
type HtmlPiece =
  | { readonly kind: "text"; readonly text: string }
  | {
      readonly kind: "tag";
      readonly name: string;
      readonly isEnd: boolean;
      readonly attributes: ReadonlyMap<string, string>;
    };

/** Elements whose content is skipped. */
const SILENT = new Set(["script", "style", "noscript", "template", "svg", "head", "iframe"]);
const TAG = /<(\/?)([a-z][a-z0-9-]*)/iy;
/** Text and tags in order, in one pass; unclosed constructs end with the page. */
function* readHtml(html: string): Generator<HtmlPiece> {
  const endOf = new EndFinder(html);
  for (let at = 0; at < html.length; ) {
    const next = html.indexOf("<", at);
    const start = next < 0 ? html.length : next;
    if (start > at) yield { kind: "text", text: html.slice(at, start) };
    if (next < 0) return;
    if (html.startsWith("<!--", start)) {
      at = endOf.find("-->", start + 4);
      continue;
    }
    TAG.lastIndex = start;
    const tag = TAG.exec(html);
    const end = tag || html[start + 1] === "!" ? endOf.find(">", start + 1) : start + 1;
    if (!tag) {
      if (end === start + 1) yield { kind: "text", text: "<" };
      at = end;
      continue;
    }
    const name = (tag[2] ?? "").toLowerCase();
    const isEnd = tag[1] === "/";
    const inside = html.slice(TAG.lastIndex, end - 1);
    at = SILENT.has(name) && !isEnd ? endOf.find(">", endOf.find(`</${name}`, end)) : end;
    if (!SILENT.has(name)) yield { kind: "tag", name, isEnd, attributes: readAttributes(name, inside) };
  }
}

/** Remembers failed searches, so that they are not repeated further on. */
class EndFinder {
  readonly #missingFrom = new Map<string, number>();
  readonly #lower: string;

  constructor(html: string) {
    this.#lower = html.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()); // ASCII only, so that the length stays the same
  }

  /** The offset after the text, or the end of the page. */
  find(text: string, from: number): number {
    const missing = this.#missingFrom.get(text);
    const at = missing !== undefined && from >= missing ? -1 : this.#lower.indexOf(text, from);
    if (at >= 0) return at + text.length;
    if (missing === undefined) this.#missingFrom.set(text, from);
    return this.#lower.length;
  }
}

/** Matches only at the start of a name, so that it stays linear. */
const ATTRIBUTE = /(?<![a-z-])([a-z-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi;
const NONE: ReadonlyMap<string, string> = new Map();

function readAttributes(name: string, inside: string): ReadonlyMap<string, string> {
  if (name !== "a" && name !== "img") return NONE;
  const found = [...inside.matchAll(ATTRIBUTE)];
  return new Map(
    found.map(([, key = "", double, single, bare]) => [
      key.toLowerCase(),
      decodeEntities(double ?? single ?? bare ?? ""),
    ]),
  );
}

const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  ndash: "–",
  mdash: "—",
  hellip: "…",
  copy: "©",
  lsquo: "‘",
  rsquo: "’",
  ldquo: "“",
  rdquo: "”",
  bull: "•",
  middot: "·",
  times: "×",
  rarr: "→",
  larr: "←",
  euro: "€",
};

/** Decodes named and numeric character references; unknown names stay as they are. */
function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]{2,10}));/gi,
    (whole, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return NAMED[name.toLowerCase()] ?? whole;
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "";
    },
  );
}
