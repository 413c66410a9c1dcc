import wrapAnsi from "wrap-ansi";
import { textWidth } from "../../text-width.js";

/** Breaks lines that are wider than the terminal between words; continuation lines keep the indentation. */
export function wrapLines(text: string, columns: number): string {
  return text
    .split("\n")
    .map((line) => (textWidth(line) <= columns ? line : wrapLine(line, columns)))
    .join("\n");
}

const MAX_INDENT = 20;

function wrapLine(line: string, columns: number): string {
  const plain = line.replace(/\u001b\[[0-9;]*m/g, "");
  const indent = /^[ >!*~✓✗]*/.exec(plain)?.[0].slice(0, MAX_INDENT) ?? "";
  const margin = " ".repeat(textWidth(indent));
  const [first = "", ...others] = wrapAnsi(line, columns - margin.length, { hard: true, trim: false }).split("\n");
  return [first, ...others.map((other) => margin + other.replace(/^ (?=\S)/, ""))].join("\n");
}
