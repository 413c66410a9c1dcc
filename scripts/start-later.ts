import type { Plugin } from "vite";

/** What packages do as soon as they are loaded, and most commands never need. */
const LATER = [
  {
    file: /\/(string-width|wrap-ansi)\/index\.js$/, // 12 ms, and most texts are ASCII
    now: "const segmenter = new Intl.Segmenter();",
    later: "let made; const segmenter = { segment: (text) => (made ??= new Intl.Segmenter()).segment(text) };",
  },
  {
    file: /\/string-width\/index\.js$/, // 20 ms: thousands of sequences, which are looked up when the pattern is read
    now: "const rgiEmojiRegex = /^\\p{RGI_Emoji}$/v;",
    later:
      "let emoji; const rgiEmojiRegex = { test: (text) => (emoji ??= new RegExp('^\\\\p{RGI_Emoji}$', 'v')).test(text) };",
  },
  {
    file: /\/commander\/lib\/command\.js$/, // 7 ms, for commands that are programs of their own
    now: "const childProcess = require('node:child_process');",
    later: "const childProcess = undefined;",
  },
  // 2 ms to make a `require` for what Node has loaded already
  ...["events", "path", "fs", "process"].map((name) => ({
    file: /\/commander\/lib\/command\.js$/,
    now: `require('node:${name}')`,
    later: `globalThis.process.getBuiltinModule('node:${name}')`,
  })),
];

export function startLater(): Plugin {
  return {
    name: "start-later",
    transform(code, id) {
      const changes = LATER.filter(({ file }) => file.test(id));
      return changes.length === 0 ? undefined : { code: changes.reduce(makeLater, code), map: null };
    },
  };
}

function makeLater(code: string, { now, later }: (typeof LATER)[number]): string {
  if (!code.includes(now)) throw new Error(`a package no longer has: ${now}`);
  return code.replace(now, () => later);
}
