import type { Finding } from "../finders/finding.js";
import { type Cut, crossesCut, lineAround, type Search, type Span, searchView, type View } from "./text-view.js";

/** What hides words from a search: colours, line ends, quotes or percent signs in between. */
interface Rewrite {
  readonly anchors: readonly string[];
  region(text: string, at: number): Span;
  /** What reads differently; matches within the region. */
  readonly cut: RegExp;
  read?(cut: string): string;
  /** Only what reaches over a cut is new: joining lines or strings makes no other secret. */
  readonly onlyAcross: boolean;
}

function findInRegion(text: string, region: Span, rewrite: Rewrite, search: Search): Finding[] {
  const cuts: Cut[] = [];
  for (const match of text.slice(region.start, region.end).matchAll(rewrite.cut)) {
    const start = region.start + match.index;
    cuts.push({ start, end: start + match[0].length, text: rewrite.read?.(match[0]) ?? "" });
  }
  if (cuts.length === 0) return [];
  const findings = searchView(text, region, cuts, search);
  return rewrite.onlyAcross ? findings.filter((finding) => crossesCut(finding, cuts)) : findings;
}

const MAX_AFTER = 2000;
const TOKEN_CHARACTERS = [..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/_-"];

/** `API\x1b[31m_KEY\x1b[0m=…`: colours, also as `\u001b[`. */
const colours: Rewrite = {
  anchors: ["\u001b[", "\\u001b[", "\\x1b[", "\\033[", "\\e["].flatMap((start) =>
    start.length > 2 ? [start] : [..."0123456789mK"].map((next) => start + next),
  ),
  region: (text, at) => lineAround(text, at, MAX_AFTER),
  cut: /(?:\u001b|\\+u001b|\\+x1b|\\+033|\\+e)\[[\d;]{0,16}[mK]/g,
  onlyAcross: false,
};

/** A backslash at the end of a line, inside of a word. */
const continuedLines: Rewrite = {
  anchors: [...TOKEN_CHARACTERS.map((character) => `${character}\\\n`), "\\\\\\n"],
  region: (text, at) => {
    const line = lineAround(text, at, 1);
    return { start: line.start, end: Math.min(text.length, at + MAX_AFTER) };
  },
  cut: /(?<=[\w+/=.~%-])(?:\\\r?\n|\\\\\\n)[ \t]*(?=[\w+/=.~%-])/g,
  onlyAcross: true,
};

/** `"abc" + "def"`, `'abc' . 'def'`, and strings on lines of their own, as Python and C join them. */
const joinedStrings: Rewrite = {
  anchors: ['"', "'"]
    .flatMap((quote) => [
      ...[
        `${quote} +`,
        `${quote}+${quote}`,
        `${quote} .`,
        `${quote}.${quote}`,
        `${quote} &`,
        `${quote}\n `,
        `${quote} \\`,
      ],
      ...[`${quote}\n\t`, `${quote} ${quote}`, `${quote}+\n`, `${quote} ~`],
    ])
    .concat(["` +", "`+`"]),
  region: (text, at) => ({ start: Math.max(0, at - 300), end: Math.min(text.length, at + MAX_AFTER) }),
  cut: /(?<=[\w+/=.~%!@#$^&*-])(\\*["'`])(?:[ \t]*(?:\+|\.\.?|&(?:[ \t]*_)?|~|\\)[ \t]*(?:\r?\n|\\+n)?|[ \t]*(?:\r?\n|\\+n)(?:[ \t]*(?:\+|\.)(?!\w))?|[ \t]{1,4})[ \t]*\1(?=[\w+/=.~%!@#$^&*-])/g,
  onlyAcross: true,
};

/** `https%3A%2F%2Fuser%3Apass%40host`, also where the percent signs were encoded again. */
const percentSigns: Rewrite = {
  anchors: ["%3A", "%3D", "%40", "%22", "%3a", "%3d", "%253", "%254", "%252"],
  region: (text, at) => {
    const before = /[^\s"'`<>\\]*$/.exec(text.slice(Math.max(0, at - 300), at))?.[0].length ?? 0;
    const after = /^[^\s"'`<>\\]*/.exec(text.slice(at, at + MAX_AFTER))?.[0].length ?? 0;
    return { start: at - before, end: at + after };
  },
  cut: /%(?:25){0,3}[2-7][0-9A-Fa-f]/g,
  read: (cut) => String.fromCharCode(Number.parseInt(cut.slice(-2), 16)),
  onlyAcross: false,
};

/** `\x70\x61\x73\x73`, as `echo -e` takes it. */
const escapedBytes: Rewrite = {
  anchors: ["\\x2", "\\x3", "\\x4", "\\x5", "\\x6", "\\x7"],
  region: (text, at) => lineAround(text, at, MAX_AFTER),
  cut: /(?:\\+x[2-7][0-9A-Fa-f]){8,}/g,
  read: (cut) => cut.replace(/\\+x(..)/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
  onlyAcross: false,
};

export const rewrites: readonly View[] = [colours, continuedLines, joinedStrings, percentSigns, escapedBytes].map(
  (rewrite) => ({
    anchors: rewrite.anchors,
    find(text, at, search) {
      const region = rewrite.region(text, at);
      return { findings: findInRegion(text, region, rewrite, search), end: region.end };
    },
  }),
);
