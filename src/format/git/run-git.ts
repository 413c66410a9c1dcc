import { execFile } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { delimiter, isAbsolute, join, relative, sep } from "node:path";
import { attempt } from "../layout/folder-listing.js";
import { readSmallFile } from "../layout/small-file.js";
import { parseGitConfig } from "./git-config.js";
import type { GitPlace } from "./git-remotes.js";

/*
 * What a repository's history holds, asked of the program git. A repository may be a stranger's, and dozens of settings in its
 * configuration name programs. So git sees a bare repository of our own: an empty folder with our configuration, the
 * references as we read them, and the objects of the real one. There is no work tree, no index, no attributes and no hooks, and
 * nothing of the real repository is written. Worktrees, submodules and shallow clones are read as well.
 */

export interface GitHistory {
  readonly place: GitPlace;
  /** Runs one command of `READING`. What comes from elsewhere must stand behind `--end-of-options` or `--`. */
  run(args: readonly [ReadingCommand, ...string[]], bounds?: GitBounds): Promise<GitAnswer>;
}

export interface GitBounds {
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  readonly signal?: AbortSignal | undefined;
  readonly input?: string | Buffer;
}

export interface GitAnswer {
  /** What git printed until it ended or was stopped. */
  readonly output: Buffer;
  /** Only `done` is a whole answer. `failed`: git ended with an error; `large` and `slow`: it was stopped. */
  readonly end: "done" | "failed" | "large" | "slow";
}

/** They read objects and references, and write nothing. */
export type ReadingCommand =
  | "blame"
  | "cat-file"
  | "diff-tree"
  | "for-each-ref"
  | "log"
  | "ls-tree"
  | "merge-base"
  | "patch-id"
  | "rev-list"
  | "rev-parse"
  | "show";

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * The history of a repository. `scratch` is an empty private folder, which the caller removes. Undefined: no git program here, or
 * nothing that can be read (references in a form that is not known, objects on another machine).
 */
export function openGitHistory(place: GitPlace, scratch: string): GitHistory | undefined {
  const program = findGitProgram(place.root);
  const settings = program === undefined ? undefined : ownSettings(place);
  if (program === undefined || !settings) return undefined;
  const references = readReferences(place);
  if (!references || hasRemoteAlternates(place)) return undefined;
  mkdirSync(join(scratch, "refs"));
  mkdirSync(join(scratch, "objects"));
  writeFileSync(join(scratch, "config"), settings.join("\n"));
  writeFileSync(join(scratch, "HEAD"), `${references.head}\n`);
  writeFileSync(join(scratch, "packed-refs"), references.packed.map((line) => `${line}\n`).join(""));
  if (references.shallow !== undefined) writeFileSync(join(scratch, "shallow"), references.shallow);
  const env = environment(scratch, place);
  return { place, run: (args, bounds = {}) => run({ program, cwd: scratch, env }, args, bounds) };
}

interface Surroundings {
  readonly program: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

function run({ program, cwd, env }: Surroundings, args: readonly string[], bounds: GitBounds): Promise<GitAnswer> {
  const { timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES, signal, input = "" } = bounds;
  const limits = { timeout: timeoutMs, maxBuffer: maxBytes, killSignal: "SIGKILL" as const, ...(signal && { signal }) };
  return new Promise((resolve) => {
    const options = { cwd, env, ...limits, encoding: "buffer" as const, windowsHide: true };
    const child = execFile(program, args, options, (error, output) => {
      if (!error) resolve({ output, end: "done" });
      else if (error.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") resolve({ output, end: "large" });
      else resolve({ output, end: error.killed || signal?.aborted ? "slow" : "failed" });
    });
    child.stdin?.on("error", () => undefined); // git may end before it has read all; its exit code says how
    child.stdin?.end(input);
  });
}

/** Git of the system: never one that the repository brings, as through `node_modules/.bin` in the PATH. */
export function findGitProgram(root: string): string | undefined {
  const name = process.platform === "win32" ? "git.exe" : "git";
  const folders = (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((path) => isAbsolute(path) && !isBelow(path, root));
  return folders
    .map((path) => join(path, name))
    .find((path) => attempt(path, [], () => statSync(path, { throwIfNoEntry: false }))?.isFile());
}

function isBelow(path: string, root: string): boolean {
  const way = relative(root, path);
  return way === "" || !(way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way));
}

const MAX_CONFIG_BYTES = 1024 * 1024;

/** Undefined for a repository in a format that is not known. */
function ownSettings({ commonDir }: GitPlace): string[] | undefined {
  if (commonDir === "") return undefined;
  const bytes = readSmallFile(join(commonDir, "config"), { maxBytes: MAX_CONFIG_BYTES, followsLinks: true });
  const settings = parseGitConfig(bytes?.toString("utf8") ?? "");
  if (!settings) return undefined;
  const extension = (key: string) =>
    settings.findLast((it) => it.section === "extensions" && it.name === "" && it.key === key)?.value.toLowerCase();
  const [hash = "sha1", references = "files"] = [extension("objectformat"), extension("refstorage")];
  if (!["sha1", "sha256"].includes(hash) || references !== "files") return undefined;
  return [
    "[core]",
    `\trepositoryformatversion = ${hash === "sha256" ? 1 : 0}`,
    "\tbare = true",
    "\thooksPath = /dev/null",
    "\tattributesFile = /dev/null",
    "\tfsmonitor = false",
    "\tquotePath = false",
    "\tbigFileThreshold = 8m", // larger files are not compared line by line
    ...(hash === "sha256" ? ["[extensions]", "\tobjectFormat = sha256"] : []),
    "[attr]",
    "\ttree =",
    "[log]",
    "\tshowSignature = false",
    "\tmailmap = false",
    "[protocol]",
    "\tallow = never",
    "[gc]",
    "\tauto = 0",
    "",
  ];
}

interface References {
  /** The content of `HEAD`. */
  readonly head: string;
  readonly packed: readonly string[];
  readonly shallow: Buffer | undefined;
}

const MAX_REFERENCES = 50_000;
const MAX_REFERENCE_BYTES = 16 * 1024 * 1024;
const ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Undefined where there are too many. */
function readReferences({ gitDir, commonDir }: GitPlace): References | undefined {
  const head = readLine(join(gitDir, "HEAD"));
  const symbolic = /^ref: (refs\/.+)$/.exec(head)?.[1];
  if (!ID.test(head) && !isReferenceName(symbolic ?? "")) return undefined;
  const packed = readSmallFile(join(commonDir, "packed-refs"), { maxBytes: MAX_REFERENCE_BYTES });
  const references = new Map<string, string>();
  for (const line of packed?.toString("utf8").split("\n") ?? []) {
    const [id = "", name = ""] = line.split(" ");
    if (ID.test(id) && isReferenceName(name)) references.set(name, id);
  }
  if (!addLoose(join(commonDir, "refs"), "refs", references) || references.size > MAX_REFERENCES) return undefined;
  const shallow = readSmallFile(join(commonDir, "shallow"), { maxBytes: MAX_REFERENCE_BYTES });
  return { head, packed: [...references].map(([name, id]) => `${id} ${name}`), shallow };
}

/** What stands in a file of its own is newer than what is packed. Links are not followed. */
function addLoose(folder: string, name: string, references: Map<string, string>): boolean {
  for (const entry of attempt(folder, [], () => readdirSync(folder, { withFileTypes: true })) ?? []) {
    const [path, full] = [join(folder, entry.name), `${name}/${entry.name}`];
    if (references.size > MAX_REFERENCES) return false;
    if (entry.isDirectory() && !addLoose(path, full, references)) return false;
    const id = entry.isFile() && isReferenceName(full) ? readLine(path) : "";
    if (ID.test(id)) references.set(full, id);
  }
  return true;
}

function readLine(path: string): string {
  const bytes = readSmallFile(path, { maxBytes: 8 * 1024 });
  return bytes?.toString("utf8").trim() ?? "";
}

/** A plain one: git refuses a file of references with any other. */
function isReferenceName(name: string): boolean {
  const parts = name.split("/");
  return (
    parts.length >= 2 &&
    parts[0] === "refs" &&
    !/[\p{Cc}\u007f ~^:?*[\\]|\.\.|@\{|\.$/u.test(name) &&
    parts.every((part) => part !== "" && !part.startsWith(".") && !part.endsWith(".lock"))
  );
}

/** Objects on a network path: asking for one would send the person's credentials to a host of its choice. */
function hasRemoteAlternates({ commonDir }: GitPlace): boolean {
  const path = join(commonDir, "objects", "info", "alternates");
  if (!attempt(path, [], () => lstatSync(path))) return false;
  const text = readSmallFile(path, { maxBytes: MAX_CONFIG_BYTES })?.toString("utf8");
  return text === undefined || process.platform === "win32" || /^[\\/]{2}/m.test(text);
}

function environment(scratch: string, { commonDir }: GitPlace): NodeJS.ProcessEnv {
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:GIT_|LC_|LANG)/i.test(name))),
    LC_ALL: "C",
    GIT_DIR: scratch,
    GIT_OBJECT_DIRECTORY: join(commonDir, "objects"),
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_ALLOW_PROTOCOL: "none",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_PAGER: "cat",
    PAGER: "cat",
  };
}
