import type { PatchHunk } from "../../format/structured-patch.js";

/** A replacement as a hunk whose place in the file is not known; lines that both ends share are its context. */
export function changedLines(before: string, after: string): PatchHunk {
  const [old, fresh] = [splitLines(before), splitLines(after)];
  const shorter = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < shorter && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail += 1;
  const signed = (sign: string, lines: readonly string[]) => lines.map((line) => sign + line);
  return {
    oldStart: 0,
    newStart: 0,
    lines: [
      ...signed(" ", old.slice(0, head)),
      ...signed("-", old.slice(head, old.length - tail)),
      ...signed("+", fresh.slice(head, fresh.length - tail)),
      ...signed(" ", old.slice(old.length - tail)),
    ],
  };
}

function splitLines(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
