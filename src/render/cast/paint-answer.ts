import type { Style } from "../style.js";

/** Markdown in its own words, with headings and code told apart. */
export function paintAnswer(text: string, style: Style): string {
  let fence: string | undefined;
  return text
    .split("\n")
    .map((line) => {
      const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
      if (mark !== undefined && (fence === undefined || mark.startsWith(fence))) {
        fence = fence === undefined ? mark : undefined;
        return style.dim(line);
      }
      if (fence !== undefined) return style.cyan(line);
      return /^#{1,6} /.test(line) ? style.bold(line) : paintWords(line, style);
    })
    .join("\n");
}

/** Colours say what the signs said. */
function paintWords(line: string, style: Style): string {
  return line
    .replace(/`([^`]+)`/g, (_marked, code: string) => style.cyan(code))
    .replace(/\*\*([^*]+)\*\*/g, (_marked, words: string) => style.bold(words));
}
