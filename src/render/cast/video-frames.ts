import type { FramePainter } from "./frame-painter.js";
import type { GlyphCell, Glyphs } from "./glyphs.js";
import { createScreen, measureCharacters } from "./screen.js";
import type { TimedOutput } from "./time-steps.js";

export interface VideoOptions {
  readonly columns: number;
  readonly rows: number;
  readonly framesPerSecond: number;
}

/** How many outputs are looked at before they are shown, for their characters. */
const AHEAD = 400;

/** One frame after the other at a steady rate; painted only where the screen changed, else the last one again. */
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
    if (batch.length < AHEAD) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

/** In both weights: what is typed is bold. */
function* charactersOf(outputs: readonly TimedOutput[]): Generator<GlyphCell> {
  const words = outputs.map(({ text }) => text.replace(/\u001b\[[\d;]*[mK]|[\r\n]/g, "")).join("");
  for (const { grapheme: text, width: columns } of measureCharacters(words)) {
    yield { text, bold: false, columns };
    yield { text, bold: true, columns };
  }
}
