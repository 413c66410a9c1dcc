export interface HighlightedSpan {
  readonly text: string;
  /** What highlight.js calls it, such as `keyword` or `title function_`; null for plain text. */
  readonly scope: string | null;
}

export type HighlightedLine = readonly HighlightedSpan[];

/** highlight.js gives HTML of spans that may reach over several lines; surfaces want lines. */
export function toHighlightedLines(html: string): HighlightedLine[] {
  const lines: HighlightedSpan[][] = [[]];
  const scopes: string[] = [];
  for (const [, opened, closed, text = ""] of html.matchAll(PIECE)) {
    if (opened !== undefined) scopes.push(opened.replaceAll("hljs-", ""));
    else if (closed !== undefined) scopes.pop();
    else addText(lines, decodeEntities(text), scopes.at(-1) ?? null);
  }
  return lines;
}

const PIECE = /<span class="([^"]*)">|(<\/span>)|([^<]+)/g;

function addText(lines: HighlightedSpan[][], text: string, scope: string | null): void {
  for (const [index, part] of text.split("\n").entries()) {
    if (index > 0) lines.push([]);
    if (part !== "") lines.at(-1)?.push({ text: part, scope });
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#x27;": "'",
};

function decodeEntities(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => ENTITIES[entity] ?? entity);
}
