import type { PatchHunk } from "../../../format/record/file-changes.js";
import type { Highlight } from "../../highlight.js";
import { neutralize } from "../../safe-text.js";
import { findChangedWords } from "./changed-words.js";
import { escapeHtml, lineHtml, type Stretch } from "./code-html.js";

export interface DiffLine {
  readonly sign: string; // `+`, `-`, a space, or `\` for a remark
  readonly before: number | null; // line number; null on the side that does not have the line
  readonly after: number | null;
  /** Without the sign; the words that differ from the line that it replaces are marked. */
  readonly html: string;
}

/** Each side is highlighted as a whole: a single line does not show whether it is inside a comment. */
export function toDiffLines(hunk: PatchHunk, language: string | null, highlight: Highlight): DiffLine[] {
  const lines = numberLines(hunk);
  const sideOf = (isSide: (line: NumberedLine) => boolean) => {
    const side = lines.filter(isSide);
    const coloured = highlight(side.map(({ text }) => text).join("\n"), language);
    return new Map(side.map((line, index) => [line, coloured?.[index]]));
  };
  const before = sideOf(({ sign }) => sign === "-");
  const after = sideOf(({ sign }) => sign !== "-");
  const marks = markReplaced(lines);
  return lines.map((line) => {
    const { sign, text } = line;
    const coloured = before.get(line) ?? after.get(line) ?? [{ text, scope: null }];
    const html = sign === "\\" ? escapeHtml(text) : lineHtml(coloured, marks.get(line));
    return { sign, before: line.before, after: line.after, html };
  });
}

interface NumberedLine extends Pick<DiffLine, "sign" | "before" | "after"> {
  readonly text: string;
}

/** `\ No newline at end of file` is no line of either side. */
function numberLines({ oldStart, newStart, lines }: PatchHunk): NumberedLine[] {
  let [before, after] = [oldStart, newStart];
  return lines.map((line) => {
    const sign = line[0] ?? " ";
    const text = neutralize(line.slice(1));
    const isBefore = sign !== "+" && sign !== "\\";
    const isAfter = sign !== "-" && sign !== "\\";
    return { sign, text, before: isBefore ? before++ : null, after: isAfter ? after++ : null };
  });
}

/** Lines that are removed and the lines that are added right after them belong together, one by one. */
function markReplaced(lines: readonly NumberedLine[]): Map<NumberedLine, readonly Stretch[]> {
  const marks = new Map<NumberedLine, readonly Stretch[]>();
  let removed: NumberedLine[] = [];
  let next = 0;
  for (const line of lines) {
    if (line.sign === " " || (line.sign === "-" && next > 0)) removed = [];
    if (line.sign === "-") removed.push(line);
    if (line.sign !== "+") next = 0;
    const old = line.sign === "+" ? removed[next++] : undefined;
    const found = old && findChangedWords(old.text, line.text);
    if (!old || !found) continue;
    marks.set(old, found.before);
    marks.set(line, found.after);
  }
  return marks;
}

export function lineClass({ sign }: Pick<DiffLine, "sign">): string {
  return LINE_CLASSES.get(sign) ?? "same";
}

const LINE_CLASSES: ReadonlyMap<string, string> = new Map([
  ["+", "added"],
  ["-", "removed"],
  ["\\", "remark"],
]);

/** Bold, so that changes are visible without colours. */
export function signHtml(sign: string): string {
  return sign === "+" || sign === "-" ? `<b>${sign}</b>` : escapeHtml(sign);
}
