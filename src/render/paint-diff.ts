import { neutralize } from "./neutralize.js";
import type { Style } from "./style.js";

/** A unified diff for eyes: coloured, and harmless to the terminal. */
export function paintDiff(text: string, style: Style): string {
  return text
    .split("\n")
    .map((line) => paintLine(neutralize(line), style))
    .join("\n");
}

function paintLine(line: string, style: Style): string {
  if (/^(diff --git |--- |\+\+\+ |new file |deleted file )/.test(line)) return style.bold(line);
  if (line.startsWith("@@ ")) return style.cyan(line);
  if (line.startsWith("+")) return style.green(line);
  return line.startsWith("-") ? style.red(line) : line;
}
