import MarkdownIt from "markdown-it";
import { neutralize, trimBlankLines } from "../safe-text.js";
import { stopFetching, toLanguage } from "./stop-fetching.js";

export interface ContainOptions {
  /** The text becomes a quotation, in which each line stays a line. */
  readonly isQuoted?: boolean;
}

/** Longer texts are shown as source: parsing would take too long. */
const MAX_MARKDOWN_CHARACTERS = 100_000;
/** Levels 1 and 2 are the document's own headings. */
const FIRST_FREE_HEADING = 3;
const MAX_HEADING = 6;
const MAX_ESCAPE_ROUNDS = 6;

/** Finds HTML as Markdown readers will, so that it can be escaped. */
const parser = new MarkdownIt("default", { html: true });
type Token = ReturnType<typeof parser.parse>[number];

/**
 * Markdown of a session as a part of the document: HTML tags become text, headings move to level 3 and below, an open
 * fence is closed, images become links. A text that cannot be made safe that way is shown as source.
 */
export function containMarkdown(text: string, { isQuoted = false }: ContainOptions = {}): string {
  const source = trimBlankLines(neutralize(text));
  if (source === "") return "";
  if (source.length > MAX_MARKDOWN_CHARACTERS) return fenced(source, "markdown");
  const lines = source.split("\n");
  const defused = stopFetching(lines, parseLines(lines));
  if (defused === null) return fenced(source, "markdown");
  const escaped = escapeHtmlTags(defused);
  const tokens = parseLines(escaped);
  if (isQuoted) breakLines(escaped, tokens);
  const closed = [...moveHeadings(escaped, tokens), ...closingFence(escaped, tokens)];
  const contained = `${startsApart(source)}${closed.join("\n")}\n`;
  // Tabs are narrower in a quotation, so indented code may become a tag.
  return isContained(isQuoted ? quoted(contained) : contained) ? contained : fenced(source, "markdown");
}

/** An indented first line would continue a list before it. */
function startsApart(source: string): string {
  return /^\s/.test(source) ? "<!-- -->\n\n" : "";
}

function parseLines(lines: readonly string[]): Token[] {
  return parser.parse(lines.join("\n"), {});
}

/** Escaping a tag turns its content into Markdown, which may contain further tags: repeats until none is left. */
function escapeHtmlTags(source: readonly string[]): string[] {
  const lines = [...source];
  for (let round = 0; round < MAX_ESCAPE_ROUNDS; round += 1) {
    const places = htmlPlaces(parseLines(lines));
    if (places.length === 0) break;
    for (const { from, to, isBlock } of places) {
      const before = lines.slice(from, to).join("\n");
      const isBlunt = isBlock || round >= MAX_ESCAPE_ROUNDS / 2;
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

/** Tokens of table cells have no lines, so those of the row before them are used. */
function htmlPlaces(tokens: readonly Token[]): HtmlPlace[] {
  let [from, to] = [0, 0];
  return tokens.flatMap((token): HtmlPlace[] => {
    if (token.map) [from, to] = token.map;
    if (token.type === "html_block") return [{ from, to, isBlock: true }];
    return token.children?.some(({ type }) => type === "html_inline") ? [{ from, to, isBlock: false }] : [];
  });
}

/** Leaves escaped characters, code, and web addresses in angle brackets as they are. */
function escapeTags(text: string): string {
  return text.replace(
    /\\[\s\S]|(?<!`)(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)|<(?:https?:\/\/|mailto:)[^\s<>"'`]*>|<(?=[a-z/!?])/gi,
    (found) => (found === "<" ? "&lt;" : found),
  );
}

/** Two spaces at the end of a line are a line break. */
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
    const level = Math.min(Number(tag.slice(1)) + FIRST_FREE_HEADING - 1, MAX_HEADING);
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

/** A fence inside a list or quotation ends with the list or quotation. */
function closingFence(lines: readonly string[], tokens: readonly Token[]): string[] {
  const last = tokens.at(-1);
  if (last?.type !== "fence" || last.level > 0 || !last.map) return [];
  const closing = lines.slice(last.map[0] + 1).findLast((line) => line.trim() !== "") ?? "";
  const isClosed = closing.trim().startsWith(last.markup) && closing.trim().replaceAll(last.markup[0] ?? "", "") === "";
  return isClosed ? [] : [last.markup];
}

/** Proves it by parsing: no tags, no headings of level 1 or 2, and Markdown after the text keeps its meaning. */
function isContained(markdown: string): boolean {
  const probe = "\n<details>\n\n# end\n";
  const tokens = parser.parse(markdown.replace(/^<!-- -->\n/, "") + probe, {});
  const tail = tokens.splice(-4);
  const endsOutside = tail.every(({ level, type }) => level === 0 || type === "inline");
  return (
    endsOutside &&
    tail.map(({ type }) => type).join() === "html_block,heading_open,inline,heading_close" &&
    htmlPlaces(tokens).length === 0 &&
    !tokens.some(({ children }) => children?.some(({ type }) => type === "image")) &&
    tokens.every(({ type, tag }) => type !== "heading_open" || Number(tag.slice(1)) >= FIRST_FREE_HEADING)
  );
}

/** Text on one line with all Markdown and HTML escaped. */
export function plainWords(text: string): string {
  return oneLine(text)
    .replace(MARKUP, (sign) => (sign === "<" ? "&lt;" : `\\${sign}`)) // not all readers know `\\<`
    .replace(BEGINNING, "$1\\");
}

/** Underscores inside words and backslashes before letters have no meaning in Markdown, so paths stay readable. */
const MARKUP =
  /[`*[\]<>|~]|\\(?=[!-/:-@[-`{-~]|$)|(?<![a-z0-9])_|_(?![a-z0-9])|&(?=#|[a-z]+;)|\{(?=[:=.#%{]|[\w-]+=)/gi;

/** The beginning of a heading, a list or an underline. */
const BEGINNING = /^(\d{1,9}(?=[.)](?:\s|$))|(?=(?:#{1,6}|[+-])(?:\s|$)|=+$|[- ]+$))/;

/** The same inside an HTML element such as a summary. */
export function htmlWords(text: string): string {
  return oneLine(text)
    .replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign)
    .replace(/!(?=\[)/g, "&#33;"); // some readers look for Markdown inside elements
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

export function codeSpan(text: string): string {
  const line = oneLine(text);
  if (line === "") return "";
  const ticks = "`".repeat(longestRun(line) + 1);
  const room = /^`|`$/.test(line) ? " " : "";
  return `${ticks}${room}${line}${room}${ticks}`;
}

/** The fence is longer than any run of backticks in the text. */
export function fenced(text: string, language: string | null = null): string {
  const content = neutralize(text).replace(/\n$/, "");
  const ticks = "`".repeat(Math.max(3, longestRun(content) + 1));
  return `${ticks}${language === null ? "" : toLanguage(language)}\n${content}\n${ticks}\n`;
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
