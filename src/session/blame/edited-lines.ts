import type { Replacement } from "../../format/record/file-changes.js";
import { alignLines, type LineSource } from "./align-lines.js";
import { type LineTable, plainText, splitLines } from "./line-table.js";

/** A part of a text that a replacement changed, in whole lines; `fromEnd` and `toEnd` are behind the last. */
interface Region {
  readonly from: number;
  readonly fromEnd: number;
  readonly to: number;
  readonly toEnd: number;
}

interface Replaced {
  readonly text: string;
  readonly regions: readonly Region[];
}

/**
 * Where each line was before an edit whose replacements are recorded: what is outside of them was kept, whatever a comparison of
 * the texts would say. Undefined where the replacements do not lead from one text to the other.
 */
export function editedLines(
  before: string,
  after: string,
  replacements: readonly Replacement[],
  table: LineTable,
): LineSource[] | undefined {
  let text = before;
  let sources: LineSource[] = before.split("\n").map((_, at) => ({ kind: "kept", at, isReformatted: false }));
  for (const replacement of replacements) {
    const replaced = replace(text, replacement);
    if (!replaced) return undefined;
    sources = through(sources, text, replaced, table);
    text = replaced.text;
  }
  if (replacements.length === 0 || text !== after) return undefined;
  return sources.slice(0, splitLines(after).length);
}

function replace(text: string, { from, to, isEverywhere }: Replacement): Replaced | undefined {
  const [old, fresh] = [plainText(from), plainText(to)];
  if (old === "") return undefined;
  const places: number[] = [];
  for (let at = text.indexOf(old); at >= 0; at = text.indexOf(old, at + old.length)) places.push(at);
  if (places.length === 0 || (!isEverywhere && places.length > 1)) return undefined;
  const pieces: string[] = [];
  const regions: Region[] = [];
  const [above, below] = [lineCounter(text), lineCounter(text)];
  let [done, shift] = [0, 0];
  const grown = countBreaks(fresh) - countBreaks(old);
  for (const at of places) {
    pieces.push(text.slice(done, at), fresh);
    done = at + old.length;
    const [from, fromEnd] = [above(at), below(done) + 1];
    const last = regions.at(-1);
    const isJoined = last !== undefined && from < last.fromEnd;
    const start = isJoined ? last : { from, to: from + shift };
    shift += grown;
    if (isJoined) regions.pop();
    regions.push({ from: start.from, fromEnd, to: start.to, toEnd: fromEnd + shift });
  }
  return { text: pieces.join("") + text.slice(done), regions };
}

/** Counts the lines above a place; the places must not go back. */
function lineCounter(text: string): (place: number) => number {
  let [at, count] = [text.indexOf("\n"), 0];
  return (place) => {
    for (; at >= 0 && at < place; at = text.indexOf("\n", at + 1)) count++;
    return count;
  };
}

function countBreaks(text: string): number {
  return text.split("\n").length - 1;
}

function through(
  sources: readonly LineSource[],
  text: string,
  { text: after, regions }: Replaced,
  table: LineTable,
): LineSource[] {
  const [old, fresh] = [text.split("\n"), after.split("\n")];
  const result: LineSource[] = [];
  let done = 0;
  for (const { from, fromEnd, to, toEnd } of regions) {
    for (const source of sources.slice(done, from)) result.push(source);
    const [above, below] = [table.toNumbers(old.slice(from, fromEnd)), table.toNumbers(fresh.slice(to, toEnd))];
    for (const source of alignLines(above, below, table, { isPart: true })) result.push(along(source, sources, from));
    done = fromEnd;
  }
  for (const source of sources.slice(done)) result.push(source);
  return result;
}

/** Where the line was before the replacements before. */
function along(source: LineSource, sources: readonly LineSource[], from: number): LineSource {
  if (source.kind !== "kept") return source;
  const earlier = sources[from + source.at];
  if (earlier?.kind !== "kept") return earlier ?? source;
  return { ...earlier, isReformatted: earlier.isReformatted || source.isReformatted };
}
