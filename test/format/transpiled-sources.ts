import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import ts from "typescript";
import { temporaryFolder } from "./temporary-folder.js";

const SRC = resolve(import.meta.dirname, "..", "..", "src");
const COMPILER = { module: ts.ModuleKind.ES2022, target: ts.ScriptTarget.ES2022 };

/** Plain JavaScript of `src/format/` for child processes of any Node version; returns the module's URL. */
export function transpiledFormatModule(name: string): string {
  const folder = temporaryFolder({ "package.json": '{"type":"module"}' });
  mkdirSync(join(folder, "format"));
  for (const file of ["errors.ts", ...readdirSync(join(SRC, "format")).map((entry) => join("format", entry))]) {
    const source = readFileSync(join(SRC, file), "utf8");
    const { outputText } = ts.transpileModule(source, { compilerOptions: COMPILER });
    writeFileSync(join(folder, file.replace(/\.ts$/, ".js")), outputText);
  }
  return pathToFileURL(join(folder, "format", `${name}.js`)).href;
}
