import type { Token } from "markdown-it";
import type { Style } from "../style.js";
import { type Ink, type Span, toSpan } from "./span.js";

/** The inside of a paragraph, a heading or a cell: one list of spans for each hard break. */
export function toInlineSpans(tokens: readonly Token[], style: Style, base: Ink | null = null): Span[][] {
  const lines: Span[][] = [[]];
  const inks: Ink[] = base ? [base] : [];
  const links: { readonly address: string; text: string }[] = [];
  const add = (text: string, ink: Ink | null = null) => {
    const link = links.at(-1);
    if (link) link.text += text;
    lines.at(-1)?.push(toSpan(text, stacked(ink ? [...inks, ink] : inks)));
  };
  for (const token of tokens) {
    const mark = markOf(token.type, style);
    if (mark) {
      if (token.nesting > 0) inks.push(mark.ink);
      if (!style.isColoured) add(mark.sign);
      if (token.nesting < 0) inks.pop();
    } else if (token.type === "link_open") {
      links.push({ address: String(token.attrGet("href") ?? ""), text: "" });
      inks.push(style.underline);
    } else if (token.type === "link_close") {
      inks.pop();
      const link = links.pop();
      if (link && !isSameAddress(link.text, link.address)) add(` (${shownAddress(link.address)})`, style.dim);
    } else if (token.type === "hardbreak") lines.push([]);
    else add(...leafOf(token, style));
  }
  return lines;
}

function leafOf(token: Token, style: Style): [text: string, ink?: Ink] {
  switch (token.type) {
    case "code_inline":
      return style.isColoured ? [token.content, style.cyan] : [`\`${token.content}\``];
    case "softbreak":
      return [" "];
    case "image":
      return [
        `[image: ${token.content || "without a name"}] (${shownAddress(String(token.attrGet("src") ?? ""))})`,
        style.dim,
      ];
    default:
      return [token.content];
  }
}

function stacked(inks: readonly Ink[]): Ink | null {
  const all = [...inks];
  return all.length === 0 ? null : (text) => all.reduceRight((painted, ink) => ink(painted), text);
}

function markOf(type: string, style: Style): { readonly ink: Ink; readonly sign: string } | undefined {
  switch (type.replace(/_(open|close)$/, "")) {
    case "strong":
      return { ink: style.bold, sign: "**" };
    case "em":
      return { ink: style.italic, sign: "*" };
    case "s":
      return { ink: style.strike, sign: "~~" };
    default:
      return undefined;
  }
}

/** A link whose text is its address tells it once. */
function isSameAddress(text: string, address: string): boolean {
  const bare = (link: string) =>
    shownAddress(link)
      .replace(/^(https?:\/\/|mailto:)/i, "")
      .replace(/\/$/, "");
  return bare(text) === bare(address);
}

/** As people write it: encoded characters would hide what it says. */
function shownAddress(address: string): string {
  try {
    return decodeURI(address);
  } catch {
    return address; // not encoded by us
  }
}
