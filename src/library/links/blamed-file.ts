import { readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { isFileError, UserError, unreadableFile } from "../../errors.js";
import type { GitPlace } from "../../format/git/git-remotes.js";
import { attempt, listFolder } from "../../format/layout/folder-listing.js";
import { readSmallFile } from "../../format/layout/small-file.js";

/** The file whose lines are asked for. */
export interface BlamedFile {
  /** Without links. */
  readonly path: string;
  readonly content: string;
}

const MAX_BYTES = 4 * 1024 * 1024;
const MAX_LINES = 100_000;

export function readBlamedFile(path: string): BlamedFile {
  try {
    const stats = statSync(path);
    if (stats.isDirectory()) throw new UserError("usage", `${path} is a folder`, "name a file in it");
    if (!stats.isFile()) throw new UserError("unreadable", `${path} is not a plain file`);
    if (stats.size > MAX_BYTES) throw tooLarge(path);
    const bytes = readFileSync(path);
    if (bytes.includes(0)) throw notText(path);
    const content = decode(bytes) ?? undefined;
    if (content === undefined) throw notText(path);
    if (content.split("\n", MAX_LINES + 2).length > MAX_LINES + 1) throw tooLarge(path);
    return { path: realpathSync.native(path), content };
  } catch (error) {
    if (isFileError(error) && error.code === "ENOENT") throw new UserError("not-found", `no such file: ${path}`);
    throw isFileError(error) ? unreadableFile(path, error) : error;
  }
}

function tooLarge(path: string): UserError {
  return new UserError("unreadable", `${path} is too large`, "blame reads files of up to 4 MB and 100,000 lines");
}

function notText(path: string): UserError {
  return new UserError("unreadable", `${path} is not a text file`, "blame reads text in UTF-8");
}

function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Where the same file of a repository may have been changed: under its former names, in the other work trees. */
export interface FilePlaces {
  /** The names without folders. */
  readonly names: readonly string[];
  /** The place that a recorded path stands for; undefined: another file. */
  placeOf(path: string): string | undefined;
}

/** `inside` are the names of the file from the root of the repository, the present one first; `moved` are further paths. */
export function openPlaces(
  file: BlamedFile,
  typed: string,
  repository: { readonly place: GitPlace; readonly inside: readonly string[] } | undefined,
  moved: readonly string[],
): FilePlaces {
  const roots = repository ? workTrees(repository.place) : [];
  const paths = new Set([file.path, ...moved]);
  for (const root of roots) for (const name of repository?.inside ?? []) paths.add(join(root, ...name.split("/")));
  const own = repository ? join(dirname(repository.place.commonDir), ".claude", "worktrees") + sep : undefined;
  const names = new Set([...paths, typed].map((path) => basename(path)));
  const known = new Map<string, string | undefined>();
  const find = (path: string): string | undefined => {
    const real = paths.has(path) ? path : withoutLinks(path);
    if (paths.has(real)) return real;
    if (own === undefined || !real.startsWith(own)) return undefined;
    const inside = real.slice(own.length).split(sep).slice(1).join("/"); // of a work tree that is gone
    return repository?.inside.includes(inside) ? real : undefined;
  };
  const placeOf = (path: string) => {
    if (!names.has(basename(path))) return undefined;
    if (!known.has(path)) known.set(path, find(path));
    return known.get(path);
  };
  return { names: [...names], placeOf };
}

/** The work trees of a repository that are still there; the one of the file is the first. */
function workTrees({ root, commonDir }: GitPlace): string[] {
  const folder = join(commonDir, "worktrees");
  const linked = listFolder(folder).entries.flatMap(({ name }) => {
    const pointer = readSmallFile(join(folder, name, "gitdir"), { maxBytes: 8 * 1024 })
      ?.toString("utf8")
      .trim();
    return pointer?.endsWith(`${sep}.git`) ? [dirname(pointer)] : [];
  });
  const main = basename(commonDir) === ".git" ? [dirname(commonDir)] : [];
  return [...new Set([root, ...main, ...linked].map(withoutLinks))];
}

/** As far as the path leads to something. */
function withoutLinks(path: string): string {
  const real = attempt(path, [], () => realpathSync.native(path));
  if (real !== undefined) return real;
  return dirname(path) === path ? path : join(withoutLinks(dirname(path)), basename(path));
}

/** From the root of the repository, with slashes. */
export function pathInside(root: string, path: string): string {
  return relative(withoutLinks(root), path).split(sep).join("/");
}
