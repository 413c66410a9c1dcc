import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import ts from "typescript";

const TYPES = resolve(import.meta.dirname, "..", "..", "dist", "types");

/** One name that an entry point exports, as its type declarations show it to users. */
export interface ExportedName {
  readonly name: string;
  readonly isType: boolean;
  readonly signature: string; // empty for anything but a function
}

/** `entry` is a path below `src/`; the build must have run. */
export function exportedNames(entry: string): ExportedName[] {
  const path = declarationsOf(join(TYPES, entry));
  return parse(path)
    .statements.filter(ts.isExportDeclaration)
    .flatMap((statement) => namesIn(statement, dirname(path)));
}

function namesIn({ exportClause, moduleSpecifier, isTypeOnly }: ts.ExportDeclaration, folder: string): ExportedName[] {
  if (!exportClause || !ts.isNamedExports(exportClause)) throw new Error("an entry point exports without naming");
  const module = moduleSpecifier && ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : "";
  const file = parse(declarationsOf(resolve(folder, module)));
  return exportClause.elements.map((element) => ({
    name: element.name.text,
    isType: isTypeOnly || element.isTypeOnly,
    signature: signatureOf(element.name.text, file),
  }));
}

const declarationsOf = (path: string) => path.replace(/\.(js|ts)$/, ".d.ts");

function parse(path: string): ts.SourceFile {
  return ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.ES2023, true);
}

function signatureOf(name: string, file: ts.SourceFile): string {
  const declared = file.statements.filter(ts.isFunctionDeclaration).find((statement) => statement.name?.text === name);
  return declared?.getText().replace("export declare function ", "").replace(/;$/, "") ?? "";
}
