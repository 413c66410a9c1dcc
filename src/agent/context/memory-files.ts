import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expandHome } from "../../format/path-forms.js";

/** A file with instructions of people for the model. */
export interface MemoryFile {
  readonly path: string;
  readonly kind: "user" | "project" | "local" | "import";
  readonly content: string;
}

export interface MemoryPlaces {
  readonly cwd: string;
  readonly home: string;
  readonly configRoot: string;
}

const MAX_DEPTH = 5;
const MAX_FILE_CHARS = 60_000;

/** CLAUDE.md of the person, of the folders above and of the project, with what they import; AGENTS.md where there is no other. */
export function readMemoryFiles({ cwd, home, configRoot }: MemoryPlaces): readonly MemoryFile[] {
  const seen = new Set<string>();
  const read = (path: string, kind: MemoryFile["kind"]) => readWithImports(path, kind, home, seen, 0);
  const above = foldersDownTo(cwd).flatMap((folder) => {
    const own = [
      ...read(join(folder, "CLAUDE.md"), "project"),
      ...read(join(folder, ".claude", "CLAUDE.md"), "project"),
    ];
    const general = own.length > 0 ? [] : read(join(folder, "AGENTS.md"), "project");
    return [...own, ...general, ...read(join(folder, "CLAUDE.local.md"), "local")];
  });
  return [...read(join(configRoot, "CLAUDE.md"), "user"), ...above];
}

function foldersDownTo(cwd: string): readonly string[] {
  const folders = [cwd];
  for (let folder = cwd; folder !== dirname(folder); ) {
    folder = dirname(folder);
    folders.unshift(folder);
  }
  return folders;
}

function readWithImports(
  path: string,
  kind: MemoryFile["kind"],
  home: string,
  seen: Set<string>,
  depth: number,
): readonly MemoryFile[] {
  if (depth > MAX_DEPTH || seen.has(path)) return [];
  const text = readIfPresent(path);
  if (text === undefined || text.trim() === "") return [];
  seen.add(path);
  const content = text.length > MAX_FILE_CHARS ? `${text.slice(0, MAX_FILE_CHARS)}\n… (cut)` : text;
  const imported = findImports(content).flatMap((name) =>
    readWithImports(resolve(dirname(path), expandHome(name, home)), "import", home, seen, depth + 1),
  );
  return [{ path, kind, content }, ...imported];
}

/** `@path` at the beginning of a word, outside of code. */
function findImports(text: string): readonly string[] {
  const prose = text.replace(/```[\s\S]*?```/g, "").replace(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/(?:^|\s)@((?:~\/|\.{0,2}\/|[\w-])[\w./~-]*)/g)].flatMap(
    ([, name]) => name?.replace(/[.,;:]+$/, "") ?? [],
  );
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined; // most folders have no such file
  }
}
