import type { Highlight } from "../../highlight.js";
import { createMarkdown } from "../../markdown-parser.js";
import { neutralize } from "../../safe-text.js";
import { codeHtml, escapeHtml } from "./code-html.js";

type Markdown = ReturnType<typeof createMarkdown>;

/** Headings of an answer are placed below those of the page. */
const ANSWER_HEADING = 4;
const MAX_TEXT_CHARACTERS = 200_000;

export interface MarkdownHtmlOptions {
  readonly firstHeading?: number;
  /** A button `.copy-code` before each block of code; what it does is up to the page. */
  readonly canCopy?: boolean;
}

/** Markdown as HTML that loads nothing and runs nothing. */
export function createMarkdownHtml(
  highlight: Highlight,
  { firstHeading = ANSWER_HEADING, canCopy = false }: MarkdownHtmlOptions = {},
): (text: string) => string {
  const markdown = createMarkdown();
  paintCode(markdown, highlight, canCopy);
  paintLinks(markdown);
  paintTables(markdown);
  lowerHeadings(markdown, firstHeading - 1);
  return (text) => {
    const harmless = neutralize(text);
    return harmless.length > MAX_TEXT_CHARACTERS
      ? `<pre class="plain">${escapeHtml(harmless)}</pre>`
      : markdown.render(harmless);
  };
}

function paintCode({ renderer: { rules } }: Markdown, highlight: Highlight, canCopy: boolean): void {
  const paint = (text: string, language: string | null) => {
    const code = text.replace(/\n$/, "");
    const lines = highlight(code, language);
    const html = lines ? codeHtml(lines) : escapeHtml(code);
    const box = `<div class="code-box" role="group" aria-label="code" tabindex="0"><pre><code>${html}</code></pre></div>\n`;
    return canCopy ? `<div class="fence"><button type="button" class="copy-code">Copy</button>${box}</div>` : box;
  };
  rules["fence"] = (tokens, index) => {
    const { content = "", info = "" } = tokens[index] ?? {};
    return paint(content, info.trim().split(/\s+/)[0]?.toLowerCase() || null);
  };
  rules["code_block"] = (tokens, index) => paint(tokens[index]?.content ?? "", null);
}

/** A remote picture would be a network request, so it becomes a link. */
function paintLinks({ renderer: { rules } }: Markdown): void {
  const open = (address: unknown) => `<a href="${escapeHtml(String(address ?? ""))}" rel="noopener noreferrer">`;
  rules["link_open"] = (tokens, index) => open(tokens[index]?.attrGet("href"));
  rules["image"] = (tokens, index) =>
    `${open(tokens[index]?.attrGet("src"))}${escapeHtml(tokens[index]?.content || "image")}</a>`;
}

function paintTables({ renderer: { rules } }: Markdown): void {
  rules["table_open"] = () => '<div class="table-box" role="group" aria-label="table" tabindex="0"><table>\n';
  rules["table_close"] = () => "</table></div>\n";
}

function lowerHeadings({ renderer: { rules } }: Markdown, by: number): void {
  const lower = (tag: string | undefined) => `h${Math.min(6, Number(tag?.slice(1) ?? 1) + by)}`;
  rules["heading_open"] = (tokens, index) => `<${lower(tokens[index]?.tag)} class="${tokens[index]?.tag}">`;
  rules["heading_close"] = (tokens, index) => `</${lower(tokens[index]?.tag)}>\n`;
}
