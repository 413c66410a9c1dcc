import { defineConfig, type Plugin } from "vite";

/** Small packages that most commands need: as part of the bundle they cost no lookup at start. */
const BUNDLED = [
  "commander",
  "string-width",
  "strip-ansi",
  "ansi-regex",
  "get-east-asian-width",
  "wrap-ansi",
  "ansi-styles",
];

/** One bundle with lazy chunks: what a command does not need is not loaded. */
export default defineConfig({
  build: {
    ssr: true,
    target: "node20",
    outDir: "dist",
    emptyOutDir: true,
    minify: false,
    rollupOptions: {
      input: { index: "src/index.ts", library: "src/library/index.ts", bin: "src/cli/bin.ts" },
      output: {
        entryFileNames: "[name].js",
        chunkFileNames: "chunks/[name]-[hash].js",
        // Names stay, so that a stack tells something; comments and white space would be read at every start.
        minify: { compress: false, mangle: false },
      },
    },
  },
  ssr: { noExternal: BUNDLED },
  plugins: [startLater()],
});

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

function startLater(): Plugin {
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
