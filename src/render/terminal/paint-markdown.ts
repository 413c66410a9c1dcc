import type { Token } from "markdown-it";
import { createMarkdown } from "../markdown-parser.js";
import { hangingMargin, paintBeside, sameMargin, withMargin } from "./margin.js";
import { paintCode } from "./paint-code.js";
import type { PaintOptions } from "./paint-options.js";
import { type Alignment, paintTable } from "./paint-table.js";
import { paintText, proseColumns } from "./paint-text.js";
import { type Ink, paintSpans, type Span, type SpanLine, toSpan, wrapSpans } from "./spans.js";
import type { Style } from "./style.js";

/** Longer texts are painted as source: parsing would take too long. */
const MAX_MARKDOWN_CHARACTERS = 100_000;

/** markdown-it drops content nested more than 100 levels deep. */
const MAX_NESTING = 90;

const markdown = createMarkdown();

/** Markdown as styled lines; in a pipe as source text. */
export function paintMarkdown(text: string, options: PaintOptions, ink: Ink | null = null): string[] {
  if (options.isPlain || text.length > MAX_MARKDOWN_CHARACTERS) return paintText(text, ink, options);
  const tokens = markdown.parse(text, {});
  if (tokens.some(({ level }) => level >= MAX_NESTING)) return paintText(text, ink, options);
  return paintBlocks(toMarkdownTree(tokens), { ...options, ink });
}

interface BlockOptions extends PaintOptions {
  readonly ink: Ink | null;
  /** No blank lines between the items of a list. */
  readonly isTight?: boolean;
}

function paintBlocks(nodes: readonly MarkdownNode[], options: BlockOptions): string[] {
  const blocks = nodes.map((node) => paintBlock(node, options)).filter((lines) => lines.length > 0);
  return blocks.flatMap((lines, index) => (index === 0 || options.isTight ? lines : ["", ...lines]));
}

function paintBlock(node: MarkdownNode, options: BlockOptions): string[] {
  const { token, children } = node;
  switch (token.type) {
    case "inline":
      return paintInline(token, options);
    case "heading_open":
      return paintHeading(node, options);
    case "bullet_list_open":
    case "ordered_list_open":
      return paintList(node, options);
    case "blockquote_open": {
      const { ink, style } = options;
      const quoted = { ...options, ink: ink ?? style.italic, isTight: false };
      return paintBeside(sameMargin(style.dim("▎ "), 2), quoted, (inner) => paintBlocks(children, inner));
    }
    case "fence":
    case "code_block":
      return paintCode(
        { text: token.content, language: token.info.trim().split(/\s+/)[0]?.toLowerCase() || null },
        options,
      );
    case "hr":
      return [options.style.dim("─".repeat(Math.min(proseColumns(options), 24)))];
    case "table_open":
      return paintTable(toTableCells(node, options), options);
    default:
      return children.length > 0 ? paintBlocks(children, options) : paintText(token.content, options.ink, options);
  }
}

function paintInline(token: Token, options: BlockOptions): string[] {
  return toInlineSpans(token.children ?? [], options.style, options.ink)
    .flatMap((line) => wrapSpans(line, proseColumns(options)))
    .map(paintSpans);
}

function paintHeading({ token, children }: MarkdownNode, options: BlockOptions): string[] {
  const { style } = options;
  const level = Number(token.tag.slice(1));
  const ink: Ink = (text) => style.bold(level === 1 ? style.underline(text) : text);
  const lines = paintBlocks(children, { ...options, ink: level <= 2 ? (text) => style.cyan(ink(text)) : ink });
  return style.isColoured ? lines : withMargin(lines, `${"#".repeat(level)} `);
}

function paintList({ token, children }: MarkdownNode, options: BlockOptions): string[] {
  const first = Number(token.attrGet("start") ?? 1);
  const signs = children.map((_, index) => (token.type === "ordered_list_open" ? `${first + index}.` : "•"));
  const room = Math.max(...signs.map((sign) => sign.length)) + 1;
  const isTight = children.every((item) =>
    item.children.every(({ token }) => token.type !== "paragraph_open" || token.hidden),
  );
  const items = children.map((item, index) => {
    const { box, node } = takeTaskBox(item);
    const sign = options.style.cyan((box ?? signs[index] ?? "").padStart(room - 1));
    return paintBeside(hangingMargin(`${sign} `, room), { ...options, isTight }, (inner) =>
      atLeastOne(paintBlocks(node.children, inner)),
    );
  });
  return items.flatMap((lines, index) => (index === 0 || isTight ? lines : ["", ...lines]));
}

function atLeastOne(lines: readonly string[]): readonly string[] {
  return lines.length > 0 ? lines : [""];
}

/** `[ ]` and `[x]` at the beginning of an item become boxes. */
function takeTaskBox(item: MarkdownNode): { readonly box: string | null; readonly node: MarkdownNode } {
  const text = item.children[0]?.children[0]?.token.children?.[0];
  const match = text?.type === "text" ? /^\[([ xX])\]\s+/.exec(text.content) : null;
  if (!text || !match) return { box: null, node: item };
  text.content = text.content.slice(match[0].length);
  return { box: match[1] === " " ? "☐" : "☑", node: item };
}

function toTableCells(node: MarkdownNode, { style, ink }: BlockOptions) {
  const rows = node.children.flatMap(({ children }) => children);
  const cellsOf = (row: MarkdownNode): SpanLine[] =>
    row.children.map(({ children }) => toInlineSpans(children[0]?.token.children ?? [], style, ink).flat());
  const [head, ...others] = rows;
  const alignments = (head?.children ?? []).map(({ token }): Alignment => {
    const align = /text-align:(\w+)/.exec(String(token.attrGet("style") ?? ""))?.[1];
    return align === "right" ? "right" : align === "center" ? "centre" : "left";
  });
  return { head: head ? cellsOf(head) : [], rows: others.map(cellsOf), alignments };
}

interface MarkdownNode {
  readonly token: Token;
  readonly children: readonly MarkdownNode[];
}

/** markdown-it returns a flat list of opening and closing tokens. */
function toMarkdownTree(tokens: readonly Token[]): readonly MarkdownNode[] {
  const root: MarkdownNode[] = [];
  const open = [root];
  for (const token of tokens) {
    if (token.nesting < 0) {
      if (open.length > 1) open.pop();
      continue;
    }
    const children: MarkdownNode[] = [];
    open.at(-1)?.push({ token, children });
    if (token.nesting > 0) open.push(children);
  }
  return root;
}

/** The content of a paragraph, heading or cell: one list of spans per line, split at hard breaks. */
function toInlineSpans(tokens: readonly Token[], style: Style, base: Ink | null = null): Span[][] {
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
        `[image: ${token.content || "untitled"}] (${shownAddress(String(token.attrGet("src") ?? ""))})`,
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

/** The address of a link is not repeated if its text is the address. */
function isSameAddress(text: string, address: string): boolean {
  const bare = (link: string) =>
    shownAddress(link)
      .replace(/^(https?:\/\/|mailto:)/i, "")
      .replace(/\/$/, "");
  return bare(text) === bare(address);
}

/** Decoded for reading. */
function shownAddress(address: string): string {
  try {
    return decodeURI(address);
  } catch {
    return address; // malformed encoding
  }
}
