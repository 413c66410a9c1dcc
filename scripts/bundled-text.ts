import { build, type Plugin } from "vite";

const SUFFIX = "?bundled";

/** `import script from "./main.js?bundled"` gives a program for the browser as one text, to be put into a page. */
export function bundledText(): Plugin {
  return {
    name: "bundled-text",
    enforce: "pre",
    async resolveId(source, importer) {
      if (!source.endsWith(SUFFIX)) return undefined;
      const entry = source.slice(0, -SUFFIX.length).replace(/\.js$/, ".ts");
      const resolved = await this.resolve(entry, importer, { skipSelf: true });
      return resolved && `\0${resolved.id}${SUFFIX}`;
    },
    async load(id) {
      if (!id.startsWith("\0") || !id.endsWith(SUFFIX)) return undefined;
      return `export default ${JSON.stringify(await bundle(id.slice(1, -SUFFIX.length)))};`;
    },
  };
}

async function bundle(entry: string): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: "error",
    build: { write: false, target: "es2022", minify: true, lib: { entry, formats: ["iife"], name: "page" } },
  });
  const [result] = [built].flat();
  if (!result || !("output" in result)) throw new Error(`nothing was bundled from ${entry}`);
  const [chunk] = result.output;
  return chunk.code.trim();
}
