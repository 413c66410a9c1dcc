import { lstatSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { attempt } from "../layout/folder-listing.js";
import { readSmallFile } from "../layout/small-file.js";
import { type GitSetting, parseGitConfig } from "./git-config.js";
import { remoteIdentity } from "./remote-identity.js";

/*
 * Which repository a folder belongs to, on any machine. The files of git are read here and git never runs: a repository may be a
 * stranger's, and its configuration may name programs.
 */

export interface GitRemote {
  readonly name: string;
  /** The same for all addresses of one repository, such as `github.com/acme/shop`; it holds no user and no password. */
  readonly identity: string;
}

/** A folder's repository, as its own files describe it. */
export interface GitPlace {
  /** The folder with `.git`: of the repository, of a worktree or of a submodule. */
  readonly root: string;
  /** The folder's path inside of `root`, with slashes; "" for `root` itself. */
  readonly inside: string;
  /** Where git keeps this work tree's own data (`HEAD`), and what all work trees of the repository share; "" where they are not known. */
  readonly gitDir: string;
  readonly commonDir: string;
  /** `origin` first, then `upstream`, then the others in the order of the file. Addresses on this machine only are left out. */
  readonly remotes: readonly GitRemote[];
}

/** The repository that a folder is in; undefined where there is none. Nothing is read but `.git` and its configuration. */
export function findGitPlace(folder: string): GitPlace | undefined {
  const start = resolve(folder);
  for (let place = start; ; place = dirname(place)) {
    const folders = gitFoldersOf(place);
    if (folders) {
      const remotes = remotesIn(readConfig(folders.commonDir));
      return { root: place, inside: relative(place, start).split(sep).join("/"), ...folders, remotes };
    }
    if (place === dirname(place)) return undefined;
  }
}

/** What names a folder's project on every machine; undefined without a repository or a remote. */
export function projectIdentity(folder: string): string | undefined {
  const place = findGitPlace(folder);
  const [remote] = place?.remotes ?? [];
  return place && remote && identityInside(remote.identity, place.inside);
}

/** A folder inside of a repository is a project of its own: `github.com/acme/shop//packages/cart`. */
function identityInside(remote: string, inside: string): string {
  return inside === "" ? remote : `${remote}//${inside}`;
}

const MAX_CONFIG_BYTES = 1024 * 1024;
const MAX_POINTER_BYTES = 8 * 1024;
const MAX_REMOTES = 64;

/** Undefined where the folder has no `.git`. */
function gitFoldersOf(folder: string): Pick<GitPlace, "gitDir" | "commonDir"> | undefined {
  const git = join(folder, ".git");
  const stats = attempt(git, [], () => lstatSync(git));
  if (!stats) return undefined;
  const isPointer = stats.isFile();
  const gitDir = isPointer ? pointedAt(folder, readPointer(git, /^gitdir: ([^\r\n]+)/)) : git;
  if (gitDir === undefined) return isPointer ? { gitDir: "", commonDir: "" } : undefined;
  // The folder of a worktree names the repository's own.
  const commonDir = pointedAt(gitDir, readPointer(join(gitDir, "commondir"), /^([^\r\n]+)/)) ?? gitDir;
  const isGitDir = attempt(gitDir, [], () => lstatSync(join(gitDir, "HEAD"))) !== undefined;
  return isGitDir || isPointer ? { gitDir, commonDir } : undefined;
}

function readPointer(path: string, form: RegExp): string | undefined {
  const bytes = readSmallFile(path, { maxBytes: MAX_POINTER_BYTES });
  return form.exec(bytes?.toString("utf8") ?? "")?.[1]?.trim();
}

/** Undefined for a path on the network too: asking for one would send the user's credentials to a host of its choice. */
function pointedAt(folder: string, path: string | undefined): string | undefined {
  if (path === undefined || path === "" || path.includes("\0") || /^[\\/]{2}/.test(path)) return undefined;
  return isAbsolute(path) ? path : resolve(folder, path);
}

/** Of the repository itself: it holds the remotes of all its work trees. */
function readConfig(commonDir: string): readonly GitSetting[] {
  const limits = { maxBytes: MAX_CONFIG_BYTES, followsLinks: true };
  const bytes = commonDir === "" ? undefined : readSmallFile(join(commonDir, "config"), limits);
  return parseGitConfig(bytes?.toString("utf8") ?? "") ?? [];
}

function remotesIn(settings: readonly GitSetting[]): GitRemote[] {
  const remotes = new Map<string, GitRemote>();
  for (const { section, name, key, value } of settings) {
    const isAddress = section === "remote" && key === "url" && name !== "";
    const identity = isAddress && !remotes.has(name) ? remoteIdentity(value) : undefined;
    if (identity !== undefined) remotes.set(name, { name, identity });
    if (remotes.size === MAX_REMOTES) break;
  }
  const rank = ({ name }: GitRemote) => (PREFERRED.indexOf(name) + PREFERRED.length + 1) % (PREFERRED.length + 1);
  return [...remotes.values()].sort((a, b) => rank(a) - rank(b));
}

const PREFERRED = ["origin", "upstream"];
