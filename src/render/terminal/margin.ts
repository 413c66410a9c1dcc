import type { PaintOptions } from "./paint-options.js";

const MIN_COLUMNS = 8;

export interface Margin {
  readonly first: string;
  readonly others: string;
  readonly columns: number;
}

/** Paints lines to the right of a margin such as a sign or a rule; on a very narrow screen, below it. */
export function paintBeside<Options extends PaintOptions>(
  margin: Margin,
  options: Options,
  paint: (inner: Options) => readonly string[],
): string[] {
  const columns = options.columns - margin.columns;
  if (columns >= MIN_COLUMNS) return withMargin(paint({ ...options, columns }), margin.first, margin.others);
  return [...(margin.first === margin.others ? [] : [margin.first.trimEnd()]), ...paint(options)];
}

/** The same margin before all lines. */
export function sameMargin(margin: string, columns = margin.length): Margin {
  return { first: margin, others: margin, columns };
}

/** A sign before the first line, spaces before the others. */
export function hangingMargin(sign: string, columns = sign.length): Margin {
  return { first: sign, others: " ".repeat(columns), columns };
}

/** Blank lines have no trailing spaces. */
export function withMargin(lines: readonly string[], first: string, others: string = first): string[] {
  return lines.map((line, index) => {
    const margin = index === 0 ? first : others;
    return line === "" ? margin.trimEnd() : margin + line;
  });
}
