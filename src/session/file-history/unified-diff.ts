import { formatPatch, structuredPatch } from "diff";
import type { Hunk } from "../../format/record/file-changes.js";

/** What happened to one file; null on a side: there was no file. */
export interface FilePatch {
  readonly name: string; // with `/` between its parts, relative
  readonly isCreate: boolean;
  readonly isDelete: boolean;
  readonly hunks: readonly Hunk[];
}

const CONTEXT_LINES = 3;
/** With more changed lines the shortest diff takes too long to find. */
const MAX_CHANGED_LINES = 2000;

export function diffContents(name: string, before: string | null, after: string | null): FilePatch {
  return { name, isCreate: before === null, isDelete: after === null, hunks: findHunks(before ?? "", after ?? "") };
}

/** In the format of git, for `git apply` and `patch -p1`. */
export function formatFilePatch({ name, isCreate, isDelete, hunks }: FilePatch): string {
  const [before, after] = [isCreate ? "/dev/null" : `a/${name}`, isDelete ? "/dev/null" : `b/${name}`];
  const text = formatPatch({
    oldFileName: before,
    newFileName: after,
    oldHeader: undefined,
    newHeader: undefined,
    isGit: true,
    isCreate,
    isDelete,
    hunks: hunks.map(({ lines, ...place }) => ({ ...place, lines: [...lines] })),
  });
  return name.includes(" ") ? endNames(text, [`--- ${before}\n`, `+++ ${after}\n`]) : text;
}

/** `patch` needs a tab after a name with spaces. */
function endNames(text: string, headers: readonly string[]): string {
  return headers.reduce((done, header) => done.replace(header, () => header.replace("\n", "\t\n")), text);
}

export function countLines(hunks: readonly Hunk[]): { readonly added: number; readonly removed: number } {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
  return { added: count("+"), removed: count("-") };
}

export function findHunks(before: string, after: string): readonly Hunk[] {
  if (before === after) return [];
  if (before === "" || after === "") return [wholeHunk(before, after)];
  const options = { context: CONTEXT_LINES, maxEditLength: MAX_CHANGED_LINES };
  const patch = structuredPatch("", "", before, after, undefined, undefined, options);
  return patch ? patch.hunks : [wholeHunk(before, after)];
}

function wholeHunk(before: string, after: string): Hunk {
  const [old, fresh] = [signedLines(before, "-"), signedLines(after, "+")];
  const count = (lines: readonly string[]) => lines.filter((line) => !line.startsWith("\\")).length;
  return { oldStart: 1, oldLines: count(old), newStart: 1, newLines: count(fresh), lines: [...old, ...fresh] };
}

function signedLines(text: string, sign: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n").map((line) => sign + line);
  return text.endsWith("\n") ? lines.slice(0, -1) : [...lines, "\\ No newline at end of file"];
}
