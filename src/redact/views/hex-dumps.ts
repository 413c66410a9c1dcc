import type { Span, View } from "./text-view.js";

/** Secrets in what `xxd`, `hexdump -C` and `od` print: the lines that hold one are removed, bytes and letters. */
export const hexDumps: View = {
  anchors: ["0: ", "0  ", "0000000 "], // offsets end in a zero
  find(text, at, search) {
    const lines = readDump(text, at);
    const content = lines.map(({ bytes }) => bytes).join("");
    const findings = search(content).map(({ kind, ...span }) => ({ kind, certain: false, ...linesOf(lines, span) }));
    return { findings, end: lines.at(-1)?.end ?? at };
  },
};

interface DumpLine extends Span {
  readonly bytes: string;
}

const LINE =
  /(?<=^|\n|\\n|[→\t"'])([0-9a-f]{6,8})(?::[ ]|[ ]{1,2})((?:[0-9a-f]{2,4}[ ]{1,2}){1,16})(?:[ ]*(?:\|[^\n|]{0,16}\||>[^\n]{0,16}<|(?!\\n)[^\n]{0,17}?(?=\n|\\n|$)))?(?:\r?\n|\\+n|$)?/y;
const MAX_LINES = 4096;
const OFFSET = 8;

function readDump(text: string, at: number): DumpLine[] {
  const lines: DumpLine[] = [];
  let from = startOfLine(text, at);
  for (let match = matchAt(text, from); match && lines.length < MAX_LINES; match = matchAt(text, from)) {
    const start = from + (match[0].length - match[0].slice(match[1]?.length ?? 0).length);
    lines.push({ start, end: from + match[0].replace(/(?:\r?\n|\\+n)$/, "").length, bytes: toBytes(match[2] ?? "") });
    from += match[0].length;
  }
  return lines;
}

function startOfLine(text: string, at: number): number {
  let start = at;
  while (start > 0 && at - start < OFFSET && /[0-9a-f]/.test(text.charAt(start - 1))) start--;
  return start;
}

function matchAt(text: string, at: number): RegExpExecArray | null {
  LINE.lastIndex = at;
  return LINE.exec(text);
}

const toBytes = (digits: string) =>
  (digits.match(/[0-9a-f]{2}/g) ?? []).map((pair) => String.fromCharCode(Number.parseInt(pair, 16))).join("");

function linesOf(lines: readonly DumpLine[], { start, end }: Span): Span {
  let offset = 0;
  let first: DumpLine | undefined;
  let last: DumpLine | undefined;
  for (const line of lines) {
    const next = offset + line.bytes.length;
    if (start < next && end > offset) {
      first ??= line;
      last = line;
    }
    offset = next;
  }
  return { start: first?.start ?? 0, end: last?.end ?? 0 };
}
