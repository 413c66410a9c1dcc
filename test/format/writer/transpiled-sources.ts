import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import ts from "typescript";
import { temporaryFolder } from "../temporary-folder.js";

const ROOT = resolve(import.meta.dirname, "..", "..", "..");
const SRC = join(ROOT, "src");
const COMPILER = { module: ts.ModuleKind.ES2022, target: ts.ScriptTarget.ES2022 };

/** Plain JavaScript of `src/format/` for child processes of any Node version; returns the module's URL. */
export function transpiledFormatModule(name: string): string {
  return transpiledModule(`format/${name}`, ["format"]);
}

/** The same of any folders: those that the module needs. */
export function transpiledModule(name: string, folders: readonly string[]): string {
  const target = temporaryFolder({ "package.json": '{"type":"module"}' });
  symlinkSync(join(ROOT, "node_modules"), join(target, "node_modules"), "dir");
  const besideFolders = readdirSync(SRC).filter((file) => file.endsWith(".ts"));
  for (const file of [...besideFolders, ...folders.flatMap(sourcesIn)]) transpile(file, target);
  return pathToFileURL(join(target, `${name}.js`)).href;
}

function sourcesIn(folder: string): string[] {
  return readdirSync(join(SRC, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(SRC.length + 1));
}

function transpile(file: string, target: string): void {
  const text = readFileSync(join(SRC, file), "utf8");
  const output = file.endsWith(".ts") ? ts.transpileModule(text, { compilerOptions: COMPILER }).outputText : text;
  mkdirSync(dirname(join(target, file)), { recursive: true });
  writeFileSync(join(target, file.replace(/\.ts$/, ".js")), output);
}
