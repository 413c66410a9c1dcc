import type { Token } from "markdown-it";
import { createMarkdown } from "../markdown/create-markdown.js";
import { toInlineSpans } from "./inline-spans.js";
import { hangingMargin, paintBeside, sameMargin, withMargin } from "./margin.js";
import { type MarkdownNode, toMarkdownTree } from "./markdown-tree.js";
import { paintCode } from "./paint-code.js";
import type { PaintOptions } from "./paint-options.js";
import { type Alignment, paintTable } from "./paint-table.js";
import { paintText, proseColumns } from "./paint-text.js";
import { type Ink, paintSpans, type SpanLine } from "./span.js";
import { wrapSpans } from "./wrap-spans.js";

/** In characters. Longer texts are no prose, and not worth the time. */
const LONGEST_MARKDOWN = 100_000;

/** markdown-it leaves out what is nested more deeply than 100 levels. */
const DEEPEST_LEVEL = 90;

const markdown = createMarkdown();

/** What the model wrote, as it meant it; in a pipe as it wrote it. */
export function paintMarkdown(text: string, options: PaintOptions, ink: Ink | null = null): string[] {
  if (options.isPlain || text.length > LONGEST_MARKDOWN) return paintText(text, ink, options);
  const tokens = markdown.parse(text, {});
  if (tokens.some(({ level }) => level >= DEEPEST_LEVEL)) return paintText(text, ink, options);
  return paintBlocks(toMarkdownTree(tokens), { ...options, ink });
}

interface BlockOptions extends PaintOptions {
  readonly ink: Ink | null;
  /** The items of a tight list stand together. */
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
      return paintTable(toCells(node, options), options);
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

/** `[ ]` and `[x]` at the beginning of an item are boxes. */
function takeTaskBox(item: MarkdownNode): { readonly box: string | null; readonly node: MarkdownNode } {
  const text = item.children[0]?.children[0]?.token.children?.[0];
  const match = text?.type === "text" ? /^\[([ xX])\]\s+/.exec(text.content) : null;
  if (!text || !match) return { box: null, node: item };
  text.content = text.content.slice(match[0].length);
  return { box: match[1] === " " ? "☐" : "☑", node: item };
}

function toCells(node: MarkdownNode, { style, ink }: BlockOptions) {
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
