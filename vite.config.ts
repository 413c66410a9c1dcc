import { resolve } from "node:path";
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
        codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: nameChunk }] },
      },
    },
  },
  ssr: { noExternal: BUNDLED },
  plugins: [startLater()],
});

/**
 * Each file that is loaded costs half a millisecond, so what nearly all commands load together is two files: what there is
 * before a command runs, and what the leanest one needs that asks the index.
 */
const TOGETHER: Readonly<Record<string, readonly string[]>> = {
  start: ["src/cli/bin.ts", "src/cli/commands/search.ts", "src/cli/commands/stats.ts"],
  core: ["src/cli/write-list.ts"],
};

/** The library, which shares these files, does without. */
const COMMAND_LINE = /\/commander\/|\/src\/cli\/(main|create-command|registry)\.ts$/;

interface Bundle {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null;
}

function nameChunk(id: string, bundle: Bundle): string | null {
  if (COMMAND_LINE.test(id)) return null;
  return Object.entries(TOGETHER).find(([, entries]) => isLoadedBy(id, entries, bundle))?.[0] ?? null;
}

const loaded = new Map<string, ReadonlySet<string>>();

function isLoadedBy(id: string, entries: readonly string[], bundle: Bundle): boolean {
  return entries.some((entry) => {
    const path = resolve(import.meta.dirname, entry);
    const ids = loaded.get(path) ?? loadedBy(path, bundle);
    loaded.set(path, ids);
    return id !== path && ids.has(id);
  });
}

function loadedBy(id: string, bundle: Bundle, found = new Set<string>()): Set<string> {
  if (found.has(id)) return found;
  found.add(id);
  for (const imported of bundle.getModuleInfo(id)?.importedIds ?? []) loadedBy(imported, bundle, found);
  return found;
}

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
