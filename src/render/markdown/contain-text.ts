import MarkdownIt from "markdown-it";
import { neutralize, trimBlankLines } from "../safe-text.js";

export interface ContainOptions {
  /** What a person typed, which becomes a quotation: each line stays a line. */
  readonly isQuoted?: boolean;
}

/** Beyond this nobody wrote it to be read as Markdown, and the parser would take its time. */
const MAX_MARKDOWN_CHARACTERS = 100_000; // characters
/** Headings of the document itself are above; those inside a text come below. */
const FIRST_FREE_HEADING = 3;
const DEEPEST_HEADING = 6;
const ESCAPE_ROUNDS = 6;

/** HTML is recognised here as readers of the document will recognise it, so that it can be taken for text. */
const parser = new MarkdownIt("default", { html: true });
type Token = ReturnType<typeof parser.parse>[number];

/**
 * Markdown of somebody else as a part of our document: HTML tags become words, headings move below ours, an open fence
 * is closed. What cannot be made safe that way is shown as source.
 */
export function containMarkdown(text: string, { isQuoted = false }: ContainOptions = {}): string {
  const source = trimBlankLines(neutralize(text));
  if (source === "") return "";
  if (source.length > MAX_MARKDOWN_CHARACTERS) return fenced(source, "markdown");
  const escaped = escapeHtmlTags(source.split("\n"));
  const tokens = parseLines(escaped);
  if (isQuoted) breakLines(escaped, tokens);
  const closed = [...moveHeadings(escaped, tokens), ...closingFence(escaped, tokens)];
  const contained = `${startsApart(source)}${closed.join("\n")}\n`;
  // In a quotation tabs are narrower, so that what was code may be a tag.
  return isContained(isQuoted ? quoted(contained) : contained) ? contained : fenced(source, "markdown");
}

/** An indented beginning would continue a list that stands before it. */
function startsApart(source: string): string {
  return /^\s/.test(source) ? "<!-- -->\n\n" : "";
}

function parseLines(lines: readonly string[]): Token[] {
  return parser.parse(lines.join("\n"), {});
}

/** What was inside a tag is Markdown once the tag is none, and may hold the next one: so until nothing is left. */
function escapeHtmlTags(source: readonly string[]): string[] {
  const lines = [...source];
  for (let round = 0; round < ESCAPE_ROUNDS; round += 1) {
    const places = htmlPlaces(parseLines(lines));
    if (places.length === 0) break;
    for (const { from, to, isBlock } of places) {
      const before = lines.slice(from, to).join("\n");
      const isBlunt = isBlock || round >= ESCAPE_ROUNDS / 2;
      const after = isBlunt ? before.replaceAll("<", "&lt;") : escapeTags(before);
      lines.splice(from, to - from, ...after.split("\n"));
    }
  }
  return lines;
}

interface HtmlPlace {
  readonly from: number;
  readonly to: number;
  readonly isBlock: boolean;
}

/** Cells of a table do not know their lines, but their row does. */
function htmlPlaces(tokens: readonly Token[]): HtmlPlace[] {
  let [from, to] = [0, 0];
  return tokens.flatMap((token): HtmlPlace[] => {
    if (token.map) [from, to] = token.map;
    if (token.type === "html_block") return [{ from, to, isBlock: true }];
    return token.children?.some(({ type }) => type === "html_inline") ? [{ from, to, isBlock: false }] : [];
  });
}

/** Leaves alone: escaped characters, code, and addresses in angle brackets. */
function escapeTags(text: string): string {
  return text.replace(
    /\\[\s\S]|(?<!`)(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)|<[a-z][\w+.-]+:[^\s<>]*>|<(?=[a-z/!?])/gi,
    (found) => (found === "<" ? "&lt;" : found),
  );
}

/** Two spaces at its end keep a line apart from the next. */
function breakLines(lines: string[], tokens: readonly Token[]): void {
  for (const { type, map } of tokens) {
    if (type !== "paragraph_open" || !map) continue;
    for (let at = map[0]; at < map[1] - 1; at += 1) lines[at] = `${lines[at]?.trimEnd()}  `;
  }
}

function moveHeadings(source: readonly string[], tokens: readonly Token[]): string[] {
  const lines: (string | null)[] = [...source];
  tokens.forEach(({ type, map, tag, markup }, index) => {
    if (type !== "heading_open" || !map) return;
    const [from, to] = map;
    const level = Math.min(Number(tag.slice(1)) + FIRST_FREE_HEADING - 1, DEEPEST_HEADING);
    const signs = "#".repeat(level);
    if (markup.startsWith("#")) lines[from] = source[from]?.replace(/#{1,6}/, signs) ?? null;
    else {
      const words = tokens[index + 1]?.content ?? "";
      const first = source[from] ?? "";
      const prefix = first.slice(0, Math.max(0, first.lastIndexOf(words.split("\n")[0] ?? "")));
      lines.fill(null, from, to);
      lines[from] = `${prefix}${signs} ${words.replaceAll("\n", " ")}`;
    }
  });
  return lines.filter((line) => line !== null);
}

/** A fence inside a list or quotation ends with it. */
function closingFence(lines: readonly string[], tokens: readonly Token[]): string[] {
  const last = tokens.at(-1);
  if (last?.type !== "fence" || last.level > 0 || !last.map) return [];
  const closing = lines.slice(last.map[0] + 1).findLast((line) => line.trim() !== "") ?? "";
  const isClosed = closing.trim().startsWith(last.markup) && closing.trim().replaceAll(last.markup[0] ?? "", "") === "";
  return isClosed ? [] : [last.markup];
}

/** The proof: no tag and no heading of ours is in it, and what we write after it is what we meant. */
function isContained(markdown: string): boolean {
  const probe = "\n<details>\n\n# end\n";
  const tokens = parser.parse(markdown.replace(/^<!-- -->\n/, "") + probe, {});
  const tail = tokens.splice(-4);
  const endsOutside = tail.every(({ level, type }) => level === 0 || type === "inline");
  return (
    endsOutside &&
    tail.map(({ type }) => type).join() === "html_block,heading_open,inline,heading_close" &&
    htmlPlaces(tokens).length === 0 &&
    tokens.every(({ type, tag }) => type !== "heading_open" || Number(tag.slice(1)) >= FIRST_FREE_HEADING)
  );
}

/** Words on one line, shown as they are: nothing in them is Markdown or HTML. */
export function plainWords(text: string): string {
  return oneLine(text)
    .replace(MARKUP, (sign) => `\\${sign}`)
    .replace(BEGINNING, "$1\\");
}

/** Underscores inside a word and backslashes before a letter mean nothing to Markdown: paths stay readable. */
const MARKUP = /[`*[\]<>|~]|\\(?=[!-/:-@[-`{-~]|$)|(?<![a-z0-9])_|_(?![a-z0-9])|&(?=#|[a-z]+;)/gi;

/** Of a heading, a list or an underline. */
const BEGINNING = /^(\d{1,9}(?=[.)](?:\s|$))|(?=(?:#{1,6}|[+-])(?:\s|$)|=+$|[- ]+$))/;

/** The same inside an HTML tag, such as a summary. */
export function htmlWords(text: string): string {
  return oneLine(text).replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign);
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

export function codeSpan(text: string): string {
  const line = oneLine(text);
  if (line === "") return "";
  const ticks = "`".repeat(longestRun(line) + 1);
  const room = /^`|`$/.test(line) ? " " : "";
  return `${ticks}${room}${line}${room}${ticks}`;
}

/** Text that stays inside its fence, whatever it holds. */
export function fenced(text: string, language: string | null = null): string {
  const content = neutralize(text).replace(/\n$/, "");
  const ticks = "`".repeat(Math.max(3, longestRun(content) + 1));
  return `${ticks}${(language ?? "").replace(/[^\w+#.-]/g, "")}\n${content}\n${ticks}\n`;
}

export function quoted(markdown: string): string {
  return markdown
    .trimEnd()
    .split("\n")
    .map((line) => `${`> ${line}`.trimEnd()}\n`)
    .join("");
}

export function openDetails(summaryHtml: string): string {
  return `<details>\n<summary>${summaryHtml}</summary>\n`;
}

export const CLOSE_DETAILS = "</details>\n";

function oneLine(text: string): string {
  return neutralize(text).replace(/\s+/g, " ").trim();
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
