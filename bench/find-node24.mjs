import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { cacheFolder } from "./cache-folder.mjs";

const DEFAULT_CACHE = resolve(import.meta.dirname, "../node_modules/.cache/turnlog");

/** The Node 24 that `npm run test:newer-node` installs, or a copy of it among the peers; undefined before it ran once. */
export function findNode24() {
  const program = `node24/node_modules/node-${process.platform}-${process.arch}/bin/node`;
  return [cacheFolder(), DEFAULT_CACHE].map((folder) => resolve(folder, program)).find((path) => existsSync(path));
}
