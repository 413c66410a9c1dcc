// Removes the types that no entry of the package leads to, and refuses those that name a package which is part of the bundle.
import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "..");
const TYPES = join(ROOT, "dist", "types");
const { exports: entries, dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

const reached = new Set();
for (const { types } of Object.values(entries)) if (types) reach(resolve(ROOT, types));

for (const name of readdirSync(TYPES, { recursive: true, withFileTypes: true })) {
  const path = join(name.parentPath, name.name);
  if (name.isFile() && !reached.has(path)) rmSync(path);
}
removeEmpty(TYPES);

function reach(path) {
  if (reached.has(path)) return;
  reached.add(path);
  for (const specifier of importsOf(readFileSync(path, "utf8"))) {
    if (specifier.startsWith(".")) reach(resolve(dirname(path), specifier.replace(/\.js$/, ".d.ts")));
    else if (!specifier.startsWith("node:") && !(specifier in dependencies))
      throw new Error(`${path} needs ${specifier}, which is not installed with the package`);
  }
}

function importsOf(text) {
  return [...text.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*)"([^"]+)"/g)].map(([, specifier]) => specifier);
}

function removeEmpty(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeEmpty(join(folder, entry.name));
  if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder);
}
