import { statSync } from "node:fs";
import { dirname, extname, join, resolve } from "node:path";
import { readIfReadable } from "../../errors.js";
import { expandHome } from "../../format/layout/path-forms.js";
import { ownedRoots } from "../project-file.js";
import { findGitRoot, isWithin, realPath } from "../workspace.js";

/** A file with instructions for the model. */
export interface MemoryFile {
  readonly path: string;
  readonly kind: "user" | "project" | "local" | "import";
  readonly content: string;
}

export interface MemoryPlaces {
  readonly cwd: string;
  readonly home: string;
  readonly configRoot: string;
  /** Called for a file outside of the project that is not read; `isLink`: the project has a link to it. */
  readonly onLeftOut: (path: string, isLink: boolean) => void;
}

const MAX_DEPTH = 5;
const MAX_FILE_CHARS = 60_000;

/** CLAUDE.md of the user, the parent folders and the project, with their imports; AGENTS.md in folders without CLAUDE.md. */
export function readMemoryFiles(places: MemoryPlaces): readonly MemoryFile[] {
  const { cwd, configRoot } = places;
  const seen = new Set<string>();
  const user = readWithImports(join(configRoot, "CLAUDE.md"), "user", { ...places, seen, roots: undefined }, 0);
  const above = foldersDownTo(cwd).flatMap((folder) => {
    const roots = [...ownedRoots(cwd), realPath(folder)]; // without what its `.claude` may be a link to
    const read = (name: string, kind: MemoryFile["kind"]) =>
      readWithImports(join(folder, name), kind, { ...places, seen, roots }, 0);
    const own = [...read("CLAUDE.md", "project"), ...read(join(".claude", "CLAUDE.md"), "project")];
    const general = own.length > 0 ? [] : read("AGENTS.md", "project");
    return [...own, ...general, ...read("CLAUDE.local.md", "local")];
  });
  return [...user, ...above];
}

function foldersDownTo(cwd: string): readonly string[] {
  const folders = [cwd];
  for (let folder = cwd; folder !== dirname(folder); ) {
    folder = dirname(folder);
    folders.unshift(folder);
  }
  return folders;
}

interface Reading extends MemoryPlaces {
  readonly seen: Set<string>;
  /** Folders that a project's files may import from. Undefined: the user's own files may import anything. */
  readonly roots: readonly string[] | undefined;
}

function readWithImports(
  path: string,
  kind: MemoryFile["kind"],
  reading: Reading,
  depth: number,
): readonly MemoryFile[] {
  const { home, seen, onLeftOut } = reading;
  if (depth > MAX_DEPTH || seen.has(path)) return [];
  if (!isFile(path)) return [];
  seen.add(path);
  const isLink = leadsOut(path, reading);
  if (isLink || !mayRead(path, reading)) {
    onLeftOut(path, isLink);
    return [];
  }
  const text = readIfReadable(path) ?? "";
  if (text.trim() === "") return [];
  const content = text.length > MAX_FILE_CHARS ? `${text.slice(0, MAX_FILE_CHARS)}\n… (cut)` : text;
  const imported = findImports(content).flatMap((name) =>
    readWithImports(resolve(dirname(path), expandHome(name, home)), "import", reading, depth + 1),
  );
  return [{ path, kind, content }, ...imported];
}

/** A project's link to a file outside of it, whatever that file is. */
function leadsOut(path: string, { roots, cwd }: Reading): boolean {
  return roots !== undefined && isWithin(path, findGitRoot(cwd) ?? cwd) && !isInside(path, roots);
}

function isInside(path: string, roots: readonly string[]): boolean {
  const place = realPath(path);
  return roots.some((root) => isWithin(place, root));
}

/** An untrusted project must not cause the user's files to be sent: from elsewhere only Markdown is read. */
function mayRead(path: string, { roots }: Reading): boolean {
  return roots === undefined || extname(realPath(path)) === ".md" || isInside(path, roots);
}

/** `@path` at the start of a word, outside of code. */
function findImports(text: string): readonly string[] {
  const prose = text.replace(/```[\s\S]*?```/g, "").replace(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/(?:^|\s)@((?:~\/|\.{0,2}\/|[\w-])[\w./~-]*)/g)].flatMap(
    ([, name]) => name?.replace(/[.,;:]+$/, "") ?? [],
  );
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
