import { defineConfig } from "vite";

/** One bundle with lazy chunks: what a command does not need is not loaded. */
export default defineConfig({
  build: {
    ssr: true,
    target: "node20",
    outDir: "dist",
    emptyOutDir: true,
    minify: false,
    rollupOptions: {
      input: {
        index: "src/index.ts",
        library: "src/library/index.ts",
        agent: "src/agent/index.ts",
        bin: "src/cli/bin.ts",
      },
      output: { entryFileNames: "[name].js", chunkFileNames: "chunks/[name]-[hash].js" },
    },
  },
  ssr: { noExternal: ["commander"] },
});
