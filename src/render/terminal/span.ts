import { textWidth } from "../../session/text-width.js";
import { neutralize } from "../neutralize.js";

export type Ink = (text: string) => string;

/** A piece of one line, all in one ink. */
export interface Span {
  readonly text: string;
  readonly ink: Ink | null;
}

export type SpanLine = readonly Span[];

/** What a session says becomes a span here and nowhere else: on one line, and harmless to the terminal. */
export function toSpan(text: string, ink: Ink | null = null): Span {
  return { text: neutralize(text).replace(/[\n\t]/g, " "), ink };
}

export function spansWidth(line: SpanLine): number {
  return line.reduce((sum, { text }) => sum + textWidth(text), 0);
}

export function paintSpans(line: SpanLine): string {
  return line.map(({ text, ink }) => (ink && text !== "" ? ink(text) : text)).join("");
}
