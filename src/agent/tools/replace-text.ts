import { ToolError } from "./tool.js";

interface Replacement {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all: boolean;
}

/** `isMixed`: lines end in both ways; the model saw LF, so what it names is looked for in either form. */
export function replaceText(text: string, replacement: Replacement, isMixed: boolean): string {
  const { old_string: from, new_string: to, replace_all: isEverywhere } = replacement;
  if (from === to) throw new ToolError("No changes to make: old_string and new_string are exactly the same.", true);
  if (from === "") {
    if (text === "") return to;
    throw new ToolError("old_string is empty, but the file exists and is not. Name the text to replace.", true);
  }
  const found = findPlaces(text, from, isMixed);
  if (found.length === 0) throw new ToolError(`String to replace not found in file.\nString: ${from}`, true);
  if (found.length > 1 && !isEverywhere) {
    throw new ToolError(
      `Found ${found.length} matches of the string to replace, but replace_all is false. Set replace_all, or add lines around it until it is unique.\nString: ${from}`,
      true,
    );
  }
  return splice(text, found, to);
}

/** All that these replacements change, one after the other; undefined where one of them cannot be made. */
export function countPlaces(text: string, replacements: readonly Replacement[], isMixed: boolean): number | undefined {
  try {
    let places = 0;
    let current = text;
    for (const replacement of replacements) {
      places += findPlaces(current, replacement.old_string, isMixed).length;
      current = replaceText(current, replacement, isMixed);
    }
    return places;
  } catch (error) {
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}

interface Span {
  readonly start: number;
  readonly end: number;
}

function findPlaces(text: string, from: string, isMixed: boolean): Span[] {
  if (from === "") return [{ start: 0, end: 0 }];
  return isMixed ? findLoosely(text, from) : findExactly(text, from);
}

function findExactly(text: string, from: string): Span[] {
  const spans: Span[] = [];
  for (let at = text.indexOf(from); at >= 0; at = text.indexOf(from, at + from.length)) {
    spans.push({ start: at, end: at + from.length });
  }
  return spans;
}

function findLoosely(text: string, from: string): Span[] {
  const pattern = from.replaceAll("\r\n", "\n").split("\n").map(escapePattern).join("\r?\n");
  return [...text.matchAll(new RegExp(pattern, "g"))].map(({ index, 0: match }) => ({
    start: index,
    end: index + match.length,
  }));
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

/** In a file of mixed line ends, new lines end as the replaced text did. */
function splice(text: string, spans: readonly Span[], to: string): string {
  let result = "";
  let at = 0;
  for (const { start, end } of spans) {
    const old = text.slice(start, end);
    result += text.slice(at, start) + (old.includes("\r\n") ? to.replace(/\r?\n/g, "\r\n") : to);
    at = end;
  }
  return result + text.slice(at);
}
