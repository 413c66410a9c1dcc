import type { ResvgRenderOptions } from "@resvg/resvg-js";
import { errorCode, UserError } from "../../errors.js";
import type { ScreenCell } from "./screen.js";

/** In pixels. A character of the font is 0.6 times as wide as the font size. */
export const CELL_WIDTH = 10;
export const CELL_HEIGHT = 22;
const FONT_SIZE = CELL_WIDTH / 0.6;
const BASELINE = 17;

export type GlyphCell = Pick<ScreenCell, "text" | "bold" | "columns">;

/** Coverage of each pixel of a cell, 0 to 255, row by row. */
export type Glyph = Uint8Array;

export interface Glyphs {
  /** Renders all missing glyphs at once, which is much faster than one by one. */
  prepare(cells: Iterable<GlyphCell>): void;
  of(cell: GlyphCell): Glyph;
}

export interface Fonts {
  readonly family: string;
  readonly files: readonly string[];
}

/** Rendered by resvg, which is loaded lazily. */
export async function loadGlyphs({ family, files }: Fonts): Promise<Glyphs> {
  const { Resvg } = await loadPainter();
  const known = new Map<string, Glyph>();
  const paintSheet = (cells: readonly GlyphCell[], loadSystemFonts: boolean) => {
    const font: ResvgRenderOptions["font"] = { fontFiles: [...files], loadSystemFonts, defaultFontFamily: family };
    const { pixels, width } = new Resvg(sheetSvg(cells, family), { font }).render();
    cells.forEach((cell, index) => {
      known.set(keyOf(cell), cutGlyph(pixels, width, index * SLOT_WIDTH, cell.columns * CELL_WIDTH));
    });
  };
  const prepare = (cells: Iterable<GlyphCell>) => {
    const missing = new Map<string, GlyphCell>();
    for (const cell of cells) if (!known.has(keyOf(cell))) missing.set(keyOf(cell), cell);
    const [bundled, foreign] = [true, false].map((isBundled) =>
      [...missing.values()].filter(({ text }) => isBundled === IN_BUNDLED_FONT.test(text)),
    );
    for (const sheet of sheetsOf(bundled ?? [])) paintSheet(sheet, false);
    for (const sheet of sheetsOf(foreign ?? [])) paintSheet(sheet, true);
  };
  return {
    prepare,
    of(cell) {
      if (!known.has(keyOf(cell))) prepare([cell]);
      return known.get(keyOf(cell)) ?? new Uint8Array(cell.columns * CELL_WIDTH * CELL_HEIGHT);
    },
  };
}

/** It has a native part that only videos need, so it is not installed with turnlog. */
async function loadPainter() {
  try {
    return await import("@resvg/resvg-js");
  } catch (error) {
    if (errorCode(error) !== "ERR_MODULE_NOT_FOUND") throw error;
    const hint = "install it where turnlog is: npm install --global @resvg/resvg-js; or use --format cast";
    throw new UserError("not-found", "videos need @resvg/resvg-js, which is not installed", hint);
  }
}

/** Characters that JetBrains Mono has; searching the system's fonts takes a quarter of a second. */
const IN_BUNDLED_FONT =
  /^[\u0000-\u024f\u0384-\u04ff\u2010-\u2027\u2030-\u203a\u2190-\u2193\u2400-\u2424\u2500-\u259f●▸▪◆✓✗❯\ufffd]+$/;

/** Room for a wide character and its overhang. */
const SLOT_WIDTH = 4 * CELL_WIDTH;
const SHEET_CELLS = 100;

function keyOf({ text, bold, columns }: GlyphCell): string {
  return `${columns}${bold ? "b" : "r"}${text}`;
}

function sheetsOf(cells: readonly GlyphCell[]): (readonly GlyphCell[])[] {
  const count = Math.ceil(cells.length / SHEET_CELLS);
  return Array.from({ length: count }, (_, index) => cells.slice(index * SHEET_CELLS, (index + 1) * SHEET_CELLS));
}

function sheetSvg(cells: readonly GlyphCell[], family: string): string {
  const texts = cells.map(({ text, bold }, index) => {
    const weight = bold ? ' font-weight="700"' : "";
    return `<text x="${index * SLOT_WIDTH}" y="${BASELINE}"${weight}>${escapeXml(text)}</text>`;
  });
  const size = `width="${cells.length * SLOT_WIDTH}" height="${CELL_HEIGHT}"`;
  const font = `font-family="${family}" font-size="${FONT_SIZE}" fill="#fff" xml:space="preserve"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size}><g ${font}>${texts.join("")}</g></svg>`;
}

function escapeXml(text: string): string {
  return text.replace(/[<>&"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** Glyphs are rendered white on transparent, so brightness is coverage. Colour emoji become grey. */
function cutGlyph(pixels: Uint8Array, sheetWidth: number, left: number, width: number): Glyph {
  const glyph = new Uint8Array(width * CELL_HEIGHT);
  for (let y = 0; y < CELL_HEIGHT; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = (y * sheetWidth + left + x) * 4;
      const sum = (pixels[at] ?? 0) + (pixels[at + 1] ?? 0) + (pixels[at + 2] ?? 0);
      glyph[y * width + x] = Math.round(sum / 3);
    }
  }
  return glyph;
}
