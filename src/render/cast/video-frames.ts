import type { TimedOutput } from "./cast-steps.js";
import { CELL_HEIGHT, CELL_WIDTH, type GlyphCell, type Glyphs } from "./glyphs.js";
import { createScreen, measureCharacters, type Screen, type ScreenCell } from "./screen.js";

export interface VideoOptions {
  readonly columns: number;
  readonly rows: number;
  readonly framesPerSecond: number;
}

/** Outputs whose glyphs are rendered together. */
const BATCH_SIZE = 400;

/** Frames at a constant rate. A frame is painted only if the screen changed; otherwise the last one is repeated. */
export function* videoFrames(
  outputs: Iterable<TimedOutput>,
  painter: FramePainter,
  glyphs: Glyphs,
  { columns, rows, framesPerSecond }: VideoOptions,
): Generator<Uint8Array> {
  const screen = createScreen(columns, rows);
  let frame = painter.paint(screen);
  let shown = 0;
  for (const batch of inBatches(outputs)) {
    glyphs.prepare(charactersOf(batch));
    for (const { at, text } of batch) {
      const isDue = (shown + 1) / framesPerSecond <= at;
      if (isDue) frame = painter.paint(screen);
      for (; (shown + 1) / framesPerSecond <= at; shown += 1) yield frame;
      screen.write(text);
    }
  }
  yield painter.paint(screen);
}

function* inBatches(outputs: Iterable<TimedOutput>): Generator<readonly TimedOutput[]> {
  let batch: TimedOutput[] = [];
  for (const output of outputs) {
    batch.push(output);
    if (batch.length < BATCH_SIZE) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

/** In both weights: prompts are bold. */
function* charactersOf(outputs: readonly TimedOutput[]): Generator<GlyphCell> {
  const words = outputs.map(({ text }) => text.replace(/\u001b\[[\d;]*[mK]|[\r\n]/g, "")).join("");
  for (const { grapheme: text, width: columns } of measureCharacters(words)) {
    yield { text, bold: false, columns };
    yield { text, bold: true, columns };
  }
}

const BAR_HEIGHT = 38;
const SIDE = 22;
const ABOVE = 14;
const BELOW = 16;

interface FramePainter {
  readonly width: number;
  readonly height: number;
  /** One byte per pixel, then the palette. The buffer is reused: consume it before painting the next frame. */
  paint(screen: Screen): Uint8Array;
}

/** Paints a terminal window with a title. Only cells that changed since the last frame are painted. */
export function createFramePainter(columns: number, rows: number, title: string, glyphs: Glyphs): FramePainter {
  const width = columns * CELL_WIDTH + 2 * SIDE;
  const height = BAR_HEIGHT + ABOVE + rows * CELL_HEIGHT + BELOW;
  const frame = new Uint8Array(width * height + 1024).fill(shadesOf("plain")[0] ?? 0);
  frame.set(paletteBytes(), width * height);
  const canvas = { frame, width, glyphs };
  paintBar(canvas, title);
  const shown: ScreenCell[][] = Array.from({ length: rows }, () => []);
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

const CURSOR: ScreenCell = { text: "█", columns: 1, colour: "plain", bold: false, dim: true };

function paintCell(canvas: Canvas, cell: ScreenCell, left: number, top: number): void {
  if (cell.columns > 0) paintGlyph(canvas, cell, paletteColourOf(cell), left, top);
}

function paletteColourOf({ colour, bold, dim }: ScreenCell): PaletteColour {
  if (colour !== "plain") return colour;
  return dim ? "faint" : bold ? "bright" : "plain";
}

function paintGlyph(
  { frame, width, glyphs }: Canvas,
  cell: GlyphCell,
  colour: PaletteColour,
  left: number,
  top: number,
): void {
  const glyph = glyphs.of(cell);
  const shades = shadesOf(colour);
  const columns = cell.columns * CELL_WIDTH;
  for (let y = 0; y < CELL_HEIGHT; y += 1) {
    const start = (top + y) * width + left;
    for (let x = 0; x < columns; x += 1) frame[start + x] = shades[glyph[y * columns + x] ?? 0] ?? 0;
  }
}

const BUTTON_RADIUS = 6;
const BUTTONS: readonly PaletteColour[] = ["barRed", "barYellow", "barGreen"];

function paintBar(canvas: Canvas, title: string): void {
  const { frame, width } = canvas;
  frame.fill(shadesOf("barTitle")[0] ?? 0, 0, width * BAR_HEIGHT);
  BUTTONS.forEach((colour, index) => {
    paintButton(canvas, colour, SIDE + BUTTON_RADIUS + index * 20, BAR_HEIGHT / 2);
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

function paintButton({ frame, width }: Canvas, colour: PaletteColour, centreX: number, centreY: number): void {
  const shades = shadesOf(colour);
  for (let y = Math.floor(centreY) - BUTTON_RADIUS - 1; y <= centreY + BUTTON_RADIUS + 1; y += 1) {
    for (let x = Math.floor(centreX) - BUTTON_RADIUS - 1; x <= centreX + BUTTON_RADIUS + 1; x += 1) {
      const inside = BUTTON_RADIUS + 0.5 - Math.hypot(x - centreX, y - centreY);
      frame[y * width + x] = shades[Math.round(255 * Math.max(0, Math.min(1, inside)))] ?? 0;
    }
  }
}

const BACKGROUND = 0x16181d;
const BAR = 0x23262d;

/** Colours of a video, each with its background. */
const PALETTE = {
  plain: { colour: 0xc9cdd6, background: BACKGROUND },
  bright: { colour: 0xffffff, background: BACKGROUND },
  faint: { colour: 0x7c828e, background: BACKGROUND },
  red: { colour: 0xf2777a, background: BACKGROUND },
  green: { colour: 0x7fc97f, background: BACKGROUND },
  yellow: { colour: 0xe0b15a, background: BACKGROUND },
  blue: { colour: 0x7aa2f7, background: BACKGROUND },
  magenta: { colour: 0xc99bdb, background: BACKGROUND },
  cyan: { colour: 0x62bfd0, background: BACKGROUND },
  barTitle: { colour: 0x9aa0ab, background: BAR },
  barRed: { colour: 0xf2777a, background: BAR },
  barYellow: { colour: 0xe0b15a, background: BAR },
  barGreen: { colour: 0x7fc97f, background: BAR },
} as const;

type PaletteColour = keyof typeof PALETTE;

/** Steps between background and colour, for smooth edges; 256 colours in all. */
const SHADES = 19;

/** Each colour once: ffmpeg (5.1) loses pixels of a GIF whose palette holds one twice. */
const colours: number[] = [];
const shadesByColour = new Map(
  Object.keys(PALETTE).map((colour) => [colour, toShades(PALETTE[colour as PaletteColour])]),
);

function toShades({ colour, background }: (typeof PALETTE)[PaletteColour]): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, coverage) => {
    const step = Math.round((coverage * (SHADES - 1)) / 255);
    return paletteIndex(mix(background, colour, step / (SHADES - 1)));
  });
}

function paletteIndex(colour: number): number {
  const known = colours.indexOf(colour);
  return known >= 0 ? known : colours.push(colour) - 1;
}

function mix(from: number, to: number, share: number): number {
  return [0, 8, 16].reduce((mixed, bits) => {
    const [low, high] = [(from >> bits) & 0xff, (to >> bits) & 0xff];
    return mixed | (Math.round(low + (high - low) * share) << bits);
  }, 0);
}

/** Palette index for each coverage from 0 to 255. */
function shadesOf(colour: PaletteColour): Uint8Array {
  return shadesByColour.get(colour) ?? new Uint8Array(256);
}

/** Blue, green, red and alpha of 256 colours, as the encoder expects. */
function paletteBytes(): Uint8Array {
  const bytes = new Uint8Array(256 * 4).fill(0xff);
  colours.forEach((colour, place) => {
    bytes.set([colour & 0xff, (colour >> 8) & 0xff, colour >> 16], place * 4);
  });
  return bytes;
}
