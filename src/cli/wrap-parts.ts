import { textWidth } from "../session/text-width.js";

const SEPARATOR = " · ";

/** Parts on as few lines as the terminal needs; no part is broken. */
export function wrapParts(parts: readonly string[], columns: number): string {
  const lines: string[] = [];
  for (const part of parts) {
    const joined = lines.length === 0 ? part : `${lines.at(-1)}${SEPARATOR}${part}`;
    if (lines.length > 0 && textWidth(joined) <= columns) lines[lines.length - 1] = joined;
    else lines.push(part);
  }
  return lines.join("\n");
}
