import { textWidth } from "../../text-width.js";

export type CellColour = "plain" | "red" | "green" | "yellow" | "blue" | "magenta" | "cyan";

export interface ScreenCell {
  /** One grapheme; empty in the second half of a wide character. */
  readonly text: string;
  readonly columns: 0 | 1 | 2;
  readonly colour: CellColour;
  readonly bold: boolean;
  readonly dim: boolean;
}

export interface Screen {
  write(text: string): void;
  readonly lines: readonly (readonly ScreenCell[])[];
  readonly cursor: { readonly row: number; readonly column: number };
}

type Pen = Pick<ScreenCell, "colour" | "bold" | "dim">;

const PLAIN: Pen = { colour: "plain", bold: false, dim: false };
const BLANK: ScreenCell = { text: " ", columns: 1, ...PLAIN };

/** A terminal emulator that knows only the sequences turnlog's recordings use. */
export function createScreen(columns: number, rows: number): Screen {
  const blankLine = () => Array.from({ length: columns }, () => BLANK);
  const lines = Array.from({ length: rows }, blankLine);
  const cursor = { row: 0, column: 0 };
  let pen = PLAIN;

  const lineFeed = () => {
    if (cursor.row < rows - 1) cursor.row += 1;
    else lines.push(...lines.splice(0, 1).map(blankLine));
  };
  const put = (text: string, width: 1 | 2) => {
    if (cursor.column + width > columns) {
      cursor.column = 0;
      lineFeed();
    }
    const line = lines[cursor.row] ?? [];
    line[cursor.column] = { text, columns: width, ...pen };
    if (width === 2) line[cursor.column + 1] = { text: "", columns: 0, ...pen };
    cursor.column += width;
  };
  const applySequence = (sequence: string) => {
    if (sequence === "\r") cursor.column = 0;
    else if (sequence === "\n") lineFeed();
    else if (sequence.endsWith("K")) lines[cursor.row]?.fill(BLANK, cursor.column);
    else pen = sequence.slice(2, -1).split(";").map(Number).reduce(changePen, pen);
  };
  return {
    lines,
    cursor,
    write(text) {
      for (const [part] of text.matchAll(/\u001b\[[\d;]*[mK]|[\r\n]|[^\u001b\r\n]+/g)) {
        if (/^[\u001b\r\n]/.test(part)) applySequence(part);
        else for (const { grapheme, width } of measureCharacters(part)) put(grapheme, width);
      }
    },
  };
}

/** The sequences that `createStyle` writes, except italic, underline and strikethrough. */
function changePen(pen: Pen, code: number): Pen {
  switch (code) {
    case 0:
      return PLAIN;
    case 1:
      return { ...pen, bold: true };
    case 2:
      return { ...pen, dim: true };
    case 22:
      return { ...pen, bold: false, dim: false };
    case 39:
      return { ...pen, colour: "plain" };
    default:
      return { ...pen, colour: COLOURS[code] ?? pen.colour };
  }
}

const COLOURS: Readonly<Record<number, CellColour>> = {
  31: "red",
  32: "green",
  33: "yellow",
  34: "blue",
  35: "magenta",
  36: "cyan",
};

/** Skips characters without width. */
export function* measureCharacters(text: string): Generator<{ grapheme: string; width: 1 | 2 }> {
  if (/^[ -~]*$/.test(text)) {
    for (const grapheme of text) yield { grapheme, width: 1 };
    return;
  }
  for (const { segment: grapheme } of new Intl.Segmenter().segment(text)) {
    const width = textWidth(grapheme);
    if (width > 0) yield { grapheme, width: width > 1 ? 2 : 1 };
  }
}
