import { defineConfig } from "vite";

/** The page that the server serves. */
export default defineConfig({
  root: "src/web",
  build: {
    outDir: "../../dist/web",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
  },
});
