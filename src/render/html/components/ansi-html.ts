import { neutralize } from "../../safe-text.js";
import { escapeHtml } from "./code-html.js";

/** Output of a program as HTML, with its colours; other control characters are made visible. */
export function ansiHtml(text: string): string {
  let html = "";
  let style: Style = PLAIN;
  let at = 0;
  for (const match of text.matchAll(COLOUR)) {
    html += spanHtml(text.slice(at, match.index), style);
    style = nextStyle(style, (match[1] ?? "").split(/[;:]/).map(Number));
    at = match.index + match[0].length;
  }
  return html + spanHtml(text.slice(at), style);
}

export function hasColours(text: string): boolean {
  return text.search(COLOUR) >= 0;
}

const COLOUR = /\u001b\[([0-9;:]*)m/g;

interface Style {
  readonly colour: string | null;
  readonly isBold: boolean;
  readonly isDim: boolean;
}

const PLAIN: Style = { colour: null, isBold: false, isDim: false };
const COLOURS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"] as const;

function nextStyle(before: Style, codes: readonly number[]): Style {
  let style = before;
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0;
    if (code === 0) style = PLAIN;
    else if (code === 1) style = { ...style, isBold: true };
    else if (code === 2) style = { ...style, isDim: true };
    else if (code === 22) style = { ...style, isBold: false, isDim: false };
    else if (code === 39) style = { ...style, colour: null };
    else if (code >= 30 && code <= 37) style = { ...style, colour: COLOURS[code - 30] ?? null };
    else if (code >= 90 && code <= 97) style = { ...style, colour: COLOURS[code - 90] ?? null };
    else if (code === 38 || code === 48) {
      const isShort = codes[at + 1] === 5; // one of 256 colours; the first 16 have names
      if (code === 38 && isShort) style = { ...style, colour: COLOURS[(codes[at + 2] ?? 99) % 8] ?? null };
      if (code === 38 && isShort && (codes[at + 2] ?? 99) > 15) style = { ...style, colour: null };
      at += isShort ? 2 : 4;
    }
  }
  return style;
}

function spanHtml(text: string, { colour, isBold, isDim }: Style): string {
  const html = escapeHtml(neutralize(text));
  const names = [colour === null ? [] : `ansi-${colour}`, isBold ? "ansi-bold" : [], isDim ? "ansi-dim" : []].flat();
  return names.length === 0 || html === "" ? html : `<span class="${names.join(" ")}">${html}</span>`;
}
