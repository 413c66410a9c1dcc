import { pathToFileURL } from "node:url";

/** Was this module started by itself, and not imported? @param {string} url Its `import.meta.url`. */
export function isMain(url) {
  return url === pathToFileURL(process.argv[1] ?? "").href;
}
