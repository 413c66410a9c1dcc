import { defineConfig } from "vite";
import { bundledText } from "./scripts/bundled-text.js";
import { licences } from "./scripts/licences.js";
import { nameChunk } from "./scripts/name-chunk.js";
import { startLater } from "./scripts/start-later.js";

/** What has a native part is installed; everything else is part of the bundle. */
const INSTALLED = ["libsql", "@vscode/ripgrep", "@resvg/resvg-js"];

/** One bundle with lazy chunks: what a command does not need is not loaded. */
export default defineConfig({
  plugins: [bundledText(), startLater(), licences("THIRD-PARTY.txt")],
  build: {
    ssr: true,
    target: "node20",
    outDir: "dist",
    emptyOutDir: true,
    minify: false,
    rollupOptions: {
      checks: { pluginTimings: false }, // the script of the HTML pages is a build of its own
      input: {
        index: "src/index.ts",
        library: "src/library/index.ts",
        edit: "src/edit/index.ts",
        render: "src/render/index.ts",
        trace: "src/trace/index.ts",
        agent: "src/agent/index.ts",
        bin: "src/cli/bin.ts",
        "scan-worker": "src/library/stats/scan-worker.ts", // a thread starts from a file of its own
        "entry-worker": "src/library/entries/entry-worker.ts",
        "pdf-worker": "src/agent/tools/files/pdf-worker.ts",
      },
      output: {
        entryFileNames: "[name].js",
        chunkFileNames: "chunks/[name]-[hash].js",
        // Names stay, so that a stack tells something; comments and white space would be read at every start.
        minify: { compress: false, mangle: false },
        codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: nameChunk }] },
      },
    },
  },
  ssr: { noExternal: true, external: INSTALLED },
});
