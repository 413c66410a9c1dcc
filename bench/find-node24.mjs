import { existsSync } from "node:fs";
import { resolve } from "node:path";

/** The Node 24 that `npm run test:newer-node` installs; undefined before it ran once. */
export function findNode24() {
  const folder = resolve(import.meta.dirname, "../node_modules/.cache/turnlog/node24/node_modules");
  const path = resolve(folder, `node-${process.platform}-${process.arch}`, "bin", "node");
  return existsSync(path) ? path : undefined;
}
