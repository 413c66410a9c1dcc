import { defineConfig } from "vite";
import { bundledText } from "./scripts/bundled-text.js";

/** One bundle with lazy chunks: what a command does not need is not loaded. */
export default defineConfig({
  plugins: [bundledText()],
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
        bin: "src/cli/bin.ts",
      },
      output: { entryFileNames: "[name].js", chunkFileNames: "chunks/[name]-[hash].js" },
    },
  },
  ssr: { noExternal: ["commander"] },
});
