import { neutralize } from "../neutralize.js";

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
