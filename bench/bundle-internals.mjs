import { resolve } from "node:path";
import { build } from "vite";

/** Within node_modules, so that libsql is found from there. */
const FOLDER = resolve(import.meta.dirname, "../node_modules/.cache/turnlog/internals");

/** The package exports nothing of its index: what is measured in process is bundled from the source. @returns {Promise<string>} The path of the module. */
export async function bundleInternals() {
  await build({
    configFile: false,
    logLevel: "error",
    build: {
      ssr: resolve(import.meta.dirname, "internals.mjs"),
      target: "node20",
      outDir: FOLDER,
      emptyOutDir: true,
      minify: false,
      rollupOptions: { output: { entryFileNames: "internals.mjs", codeSplitting: false } },
    },
  });
  return resolve(FOLDER, "internals.mjs");
}
