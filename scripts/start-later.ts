import type { Plugin } from "vite";

/** What packages do as soon as they are loaded, and most commands never need. */
const LATER = [
  {
    file: /\/(string-width|wrap-ansi)\/index\.js$/, // 12 ms, and most texts are ASCII
    now: "const segmenter = new Intl.Segmenter();",
    later: "let made; const segmenter = { segment: (text) => (made ??= new Intl.Segmenter()).segment(text) };",
  },
  {
    file: /\/commander\/lib\/command\.js$/, // 7 ms, for commands that are programs of their own
    now: "const childProcess = require('node:child_process');",
    later: "const childProcess = undefined;",
  },
];

export function startLater(): Plugin {
  return {
    name: "start-later",
    transform(code, id) {
      const change = LATER.find(({ file }) => file.test(id));
      if (!change) return undefined;
      if (!code.includes(change.now)) throw new Error(`${id} no longer has: ${change.now}`);
      return { code: code.replace(change.now, change.later), map: null };
    },
  };
}
