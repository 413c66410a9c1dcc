import { textWidth } from "../../text-width.js";
import { neutralize } from "../safe-text.js";

export type Ink = (text: string) => string;

/** A piece of one line in one style. */
export interface Span {
  readonly text: string;
  readonly ink: Ink | null;
}

export type SpanLine = readonly Span[];

/** The only place where session text becomes a span: on one line and safe for the terminal. */
export function toSpan(text: string, ink: Ink | null = null): Span {
  return { text: neutralize(text).replace(/[\n\t]/g, " "), ink };
}

export function spansWidth(line: SpanLine): number {
  return line.reduce((sum, { text }) => sum + textWidth(text), 0);
}

export function paintSpans(line: SpanLine): string {
  return line.map(({ text, ink }) => (ink && text !== "" ? ink(text) : text)).join("");
}

/** Breaks a line between words; a word wider than a row is broken anywhere. Spaces at a break are dropped. */
export function wrapSpans(line: SpanLine, width: number): SpanLine[] {
  if (width === Number.POSITIVE_INFINITY || spansWidth(line) <= width) return [line];
  const rows = createRows(width);
  for (const word of listWords(line)) {
    if (word.isSpace) rows.addSpace(word);
    else rows.addWord(word);
  }
  return rows.all();
}

/** Breaks a line wherever a row is full. For code, where spaces matter. */
export function breakSpans(line: SpanLine, width: number): SpanLine[] {
  if (width === Number.POSITIVE_INFINITY || spansWidth(line) <= width) return [line];
  const rows = createRows(width);
  for (const grapheme of line.flatMap(graphemesOf))
    rows.addWord({ ...grapheme, spans: [grapheme.span], isSpace: false });
  return rows.all();
}

interface Word {
  readonly spans: readonly Span[];
  readonly width: number;
  readonly isSpace: boolean;
}

function createRows(width: number) {
  const rows: Span[][] = [[]];
  let used = 0;
  let gap: Word | null = null;
  const put = (word: Word) => {
    rows.at(-1)?.push(...word.spans);
    used += word.width;
  };
  const startRow = () => {
    if (used > 0) rows.push([]);
    used = 0;
    gap = null;
  };
  const putInPieces = (word: Word) => {
    for (const { span, width: columns } of word.spans.flatMap(graphemesOf)) {
      if (used + columns > width) startRow();
      put({ spans: [span], width: columns, isSpace: false });
    }
  };
  const addWord = (word: Word) => {
    if (used + (gap?.width ?? 0) + word.width > width) startRow();
    if (gap) put(gap);
    gap = null;
    if (word.width <= width) put(word);
    else putInPieces(word);
  };
  const addSpace = (word: Word) => {
    const isAtBreak = used === 0 && rows.length > 1;
    if (isAtBreak) return;
    gap = gap ? { spans: [...gap.spans, ...word.spans], width: gap.width + word.width, isSpace: true } : word;
  };
  return { addWord, addSpace, all: () => rows.map(mergeSpans) };
}

/** Joins pieces that must not be separated into words, even if their styles differ. */
function* listWords(line: SpanLine): Generator<Word> {
  let open: { spans: Span[]; width: number; isSpace: boolean } | null = null;
  for (const piece of line.flatMap(piecesOf)) {
    if (open && !piece.isSpace && !open.isSpace && !piece.mayBreakBefore) {
      open.spans.push(...piece.spans);
      open.width += piece.width;
      continue;
    }
    if (open) yield open;
    open = { spans: [...piece.spans], width: piece.width, isSpace: piece.isSpace };
  }
  if (open) yield open;
}

interface Piece extends Word {
  readonly mayBreakBefore: boolean;
}

const PRINTABLE_ASCII = /^[ -~]*$/;

function piecesOf({ text, ink }: Span): Piece[] {
  return (text.match(/ +|[^ ]+/g) ?? []).flatMap((part) => {
    const isSpace = part.startsWith(" ");
    if (!PRINTABLE_ASCII.test(part)) return wideParts({ text: part, ink });
    return [{ spans: [{ text: part, ink }], width: part.length, isSpace, mayBreakBefore: isSpace }];
  });
}

/** Characters that must not begin a line. */
const NO_LINE_START = /^[\p{Pe}\p{Pf}、。，．！？：；ー々〜…]/u;

/** Chinese and Japanese have no spaces: a line may be broken beside each of their characters. */
function wideParts({ text, ink }: Span): Piece[] {
  const pieces: Piece[] = [];
  let run = "";
  let runWidth = 0;
  let wasWide = false;
  let mayBreakBefore = false;
  const close = () => {
    if (run !== "") pieces.push({ spans: [{ text: run, ink }], width: runWidth, isSpace: false, mayBreakBefore });
    run = "";
    runWidth = 0;
  };
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    const width = textWidth(segment);
    const isWide = width > 1;
    if ((isWide || wasWide) && !NO_LINE_START.test(segment)) {
      close();
      mayBreakBefore = isWide || wasWide;
    }
    run += segment;
    runWidth += width;
    wasWide = isWide;
  }
  close();
  return pieces;
}

interface Grapheme {
  readonly span: Span;
  readonly width: number;
}

function graphemesOf({ text, ink }: Span): Grapheme[] {
  const parts = PRINTABLE_ASCII.test(text)
    ? text
    : Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
  return Array.from(parts, (part) => ({ span: { text: part, ink }, width: textWidth(part) }));
}

/** Joins neighbours in the same style. */
function mergeSpans(row: readonly Span[]): Span[] {
  const merged: Span[] = [];
  let texts: string[] = [];
  for (const [index, { text, ink }] of row.entries()) {
    texts.push(text);
    if (row[index + 1]?.ink === ink) continue;
    merged.push({ text: texts.join(""), ink });
    texts = [];
  }
  return merged;
}
