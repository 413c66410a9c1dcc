import { decodeEntities } from "./decode-entities.js";

/** What a page is made of, as far as its words matter. */
export type HtmlPiece =
  | { readonly kind: "text"; readonly text: string }
  | {
      readonly kind: "tag";
      readonly name: string;
      readonly isEnd: boolean;
      readonly attributes: ReadonlyMap<string, string>;
    };

/** Nobody reads what stands in these. */
const SILENT = new Set(["script", "style", "noscript", "template", "svg", "head", "iframe"]);
const TAG = /<(\/?)([a-z][a-z0-9-]*)/iy;
/** Text and tags in their order. Goes through the page once: whatever has no end in it ends with it. */
export function* readHtml(html: string): Generator<HtmlPiece> {
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

/** What was looked for in vain from one place is not looked for again behind it. */
class EndFinder {
  readonly #missingFrom = new Map<string, number>();
  readonly #lower: string;

  constructor(html: string) {
    this.#lower = html.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()); // of the same length, unlike all of Unicode
  }

  /** The place after the text, or the end of the page. */
  find(text: string, from: number): number {
    const missing = this.#missingFrom.get(text);
    const at = missing !== undefined && from >= missing ? -1 : this.#lower.indexOf(text, from);
    if (at >= 0) return at + text.length;
    if (missing === undefined) this.#missingFrom.set(text, from);
    return this.#lower.length;
  }
}

/** Begins only where a name does, so that no letter is looked at twice. */
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
