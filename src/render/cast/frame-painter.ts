import { CELL_HEIGHT, CELL_WIDTH, type GlyphCell, type Glyphs } from "./glyphs.js";
import { type Ink, paletteBytes, shadesOf } from "./palette.js";
import { type Cell, measureCharacters, type Screen } from "./screen.js";

const BAR_HEIGHT = 38;
const SIDE = 22;
const ABOVE = 14;
const BELOW = 16;

export interface FramePainter {
  readonly width: number;
  readonly height: number;
  /** One byte for each pixel, then the palette. The same memory each time: use it before the next is painted. */
  paint(screen: Screen): Uint8Array;
}

/** A terminal window with a title. Only what changed since the last frame is painted. */
export function createFramePainter(columns: number, rows: number, title: string, glyphs: Glyphs): FramePainter {
  const width = columns * CELL_WIDTH + 2 * SIDE;
  const height = BAR_HEIGHT + ABOVE + rows * CELL_HEIGHT + BELOW;
  const frame = new Uint8Array(width * height + 1024).fill(shadesOf("plain")[0] ?? 0);
  frame.set(paletteBytes(), width * height);
  const canvas = { frame, width, glyphs };
  paintBar(canvas, title);
  const shown: Cell[][] = Array.from({ length: rows }, () => []);
  return {
    width,
    height,
    paint(screen) {
      screen.lines.forEach((line, row) => {
        const before = shown[row] ?? [];
        line.forEach((cell, column) => {
          const isCursor = screen.cursor.row === row && screen.cursor.column === column;
          const next = isCursor ? CURSOR : cell;
          if (before[column] === next) return;
          before[column] = next;
          paintCell(canvas, next, SIDE + column * CELL_WIDTH, BAR_HEIGHT + ABOVE + row * CELL_HEIGHT);
        });
      });
      return frame;
    },
  };
}

interface Canvas {
  readonly frame: Uint8Array;
  readonly width: number;
  readonly glyphs: Glyphs;
}

const CURSOR: Cell = { text: "█", columns: 1, colour: "plain", bold: false, dim: true };

function paintCell(canvas: Canvas, cell: Cell, left: number, top: number): void {
  if (cell.columns > 0) paintGlyph(canvas, cell, inkOf(cell), left, top);
}

function inkOf({ colour, bold, dim }: Cell): Ink {
  if (colour !== "plain") return colour;
  return dim ? "faint" : bold ? "bright" : "plain";
}

function paintGlyph({ frame, width, glyphs }: Canvas, cell: GlyphCell, ink: Ink, left: number, top: number): void {
  const glyph = glyphs.of(cell);
  const shades = shadesOf(ink);
  const columns = cell.columns * CELL_WIDTH;
  for (let y = 0; y < CELL_HEIGHT; y += 1) {
    const start = (top + y) * width + left;
    for (let x = 0; x < columns; x += 1) frame[start + x] = shades[glyph[y * columns + x] ?? 0] ?? 0;
  }
}

const BUTTON_RADIUS = 6;
const BUTTONS: readonly Ink[] = ["barRed", "barYellow", "barGreen"];

function paintBar(canvas: Canvas, title: string): void {
  const { frame, width } = canvas;
  frame.fill(shadesOf("barTitle")[0] ?? 0, 0, width * BAR_HEIGHT);
  BUTTONS.forEach((ink, index) => {
    paintButton(canvas, ink, SIDE + BUTTON_RADIUS + index * 20, BAR_HEIGHT / 2);
  });
  const letters = [...measureCharacters(title)];
  const columns = letters.reduce((sum, letter) => sum + letter.width, 0);
  let left = Math.max(SIDE + 80, Math.floor((width - columns * CELL_WIDTH) / 2));
  for (const { grapheme, width: wide } of letters) {
    if (left + wide * CELL_WIDTH > width - SIDE) break;
    const cell = { text: grapheme, bold: false, columns: wide };
    paintGlyph(canvas, cell, "barTitle", left, (BAR_HEIGHT - CELL_HEIGHT) / 2);
    left += wide * CELL_WIDTH;
  }
}

function paintButton({ frame, width }: Canvas, ink: Ink, centreX: number, centreY: number): void {
  const shades = shadesOf(ink);
  for (let y = Math.floor(centreY) - BUTTON_RADIUS - 1; y <= centreY + BUTTON_RADIUS + 1; y += 1) {
    for (let x = Math.floor(centreX) - BUTTON_RADIUS - 1; x <= centreX + BUTTON_RADIUS + 1; x += 1) {
      const inside = BUTTON_RADIUS + 0.5 - Math.hypot(x - centreX, y - centreY);
      frame[y * width + x] = shades[Math.round(255 * Math.max(0, Math.min(1, inside)))] ?? 0;
    }
  }
}
