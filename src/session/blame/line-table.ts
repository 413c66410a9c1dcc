/** Lines as numbers, so that they are compared fast; the same text has the same number. */
export interface LineTable {
  toNumbers(lines: readonly string[]): Int32Array;
  /** The number of the same line without spaces and tabs. */
  withoutSpace(line: number): number;
  /** It says enough to be recognized elsewhere: not a blank line, not a bracket alone. */
  isStrong(line: number): boolean;
}

/** Letters and digits. */
const STRONG_CHARACTERS = 6;
const LOOKED_AT = 1000;

export function createLineTable(): LineTable {
  const numbers = new Map<string, number>();
  const bare: number[] = []; // by number
  const strong: boolean[] = [];

  function numberOf(text: string): number {
    const known = numbers.get(text);
    if (known !== undefined) return known;
    const number = numbers.size;
    numbers.set(text, number);
    const packed = text.replace(/\s+/g, "");
    strong[number] = (packed.slice(0, LOOKED_AT).match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= STRONG_CHARACTERS;
    bare[number] = packed === text ? number : numberOf(packed);
    return number;
  }

  return {
    toNumbers: (lines) => Int32Array.from(lines, numberOf),
    withoutSpace: (line) => bare[line] ?? line,
    isStrong: (line) => strong[line] ?? false,
  };
}

/** Without carriage returns at the ends of lines and without a byte order mark. */
export function plainText(text: string): string {
  return text.replace(/^\uFEFF/, "").replace(/\r+$/gm, "");
}

/** The last one may lack its end. */
export function splitLines(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
