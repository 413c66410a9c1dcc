export interface HighlightedSpan {
  readonly text: string;
  /** What highlight.js calls it, such as `keyword` or `title.function`; null for plain text. */
  readonly scope: string | null;
}

export type HighlightedLine = readonly HighlightedSpan[];
