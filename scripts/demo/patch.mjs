const CONTEXT_LINES = 3;

/** One hunk around the only place where two texts differ, as clients store it. */
export function toStructuredPatch(before, after) {
  const old = toLines(before);
  const now = toLines(after);
  let start = 0;
  while (start < old.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const from = Math.max(0, start - CONTEXT_LINES);
  const tail = old.slice(old.length - end, old.length - end + CONTEXT_LINES);
  const lines = [
    ...old.slice(from, start).map((line) => ` ${line}`),
    ...old.slice(start, old.length - end).map((line) => `-${line}`),
    ...now.slice(start, now.length - end).map((line) => `+${line}`),
    ...tail.map((line) => ` ${line}`),
  ];
  const count = (sign) => lines.filter((line) => !line.startsWith(sign)).length;
  return [{ oldStart: from + 1, oldLines: count("+"), newStart: from + 1, newLines: count("-"), lines }];
}

function toLines(text) {
  return text.replace(/\n$/, "").split("\n");
}
