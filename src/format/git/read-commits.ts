import type { GitAnswer, GitBounds, GitHistory } from "./run-git.js";

export interface Commit {
  readonly id: string;
  readonly parents: readonly string[];
  readonly author: string;
  readonly authoredAt: number; // ms since the epoch
  readonly committedAt: number;
  readonly subject: string;
  /** Without those of a merge, and without lines of binary files. */
  readonly files: readonly CommittedFile[];
}

export interface CommittedFile {
  /** From the root of the repository, with slashes; the old one where the file was deleted. */
  readonly path: string;
  /** Before it was renamed. */
  readonly renamedFrom: string | null;
  readonly change: "added" | "changed" | "deleted";
  readonly hunks: readonly CommittedHunk[];
}

/** What replaced what, without lines around it. A line that is added stands at `newStart` plus its place. */
export interface CommittedHunk {
  readonly oldStart: number; // 1-based
  readonly newStart: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

export interface CommitSelection {
  /** Ids or full names of references; without any, all that references and HEAD lead to. */
  readonly from?: readonly string[];
  /** The commits `from` names, without their ancestors. */
  readonly alone?: boolean;
  /** By the time of the commit, not of its author. */
  readonly since?: number; // ms since the epoch
  readonly until?: number;
  /** Files and folders from the root of the repository. */
  readonly paths?: readonly string[];
  readonly limit?: number;
}

export interface ReadCommits {
  /** Newest first. */
  readonly commits: readonly Commit[];
  /** Anything but `done`: there may be more. */
  readonly end: GitAnswer["end"];
}

/** The commits of a repository and what they changed, line by line. */
export async function readCommits(
  history: GitHistory,
  { from, alone = false, since, until, paths = [], limit }: CommitSelection = {},
  bounds: GitBounds = {},
): Promise<ReadCommits> {
  const answer = await history.run(
    [
      "log",
      `--format==%H %at %ct %P%n=%an%n=%s`,
      "--patch",
      "--unified=0",
      "--find-renames",
      "--no-color",
      "--no-ext-diff",
      "--no-textconv",
      "--full-index",
      "--src-prefix=a/",
      "--dst-prefix=b/",
      "--ignore-submodules=all",
      "--date-order",
      ...(alone ? ["--no-walk=unsorted"] : []),
      ...(limit === undefined ? [] : [`--max-count=${limit}`]),
      ...(since === undefined ? [] : [`--since=@${Math.floor(since / 1000)}`]),
      ...(until === undefined ? [] : [`--until=@${Math.ceil(until / 1000)}`]),
      ...(from ? ["--end-of-options", ...from] : ["--all"]),
      "--",
      ...paths.map((path) => `:(top,literal)${path}`),
    ],
    bounds,
  );
  const commits = parseCommits(answer.output.toString("utf8"));
  return { commits: answer.end === "done" ? commits : commits.slice(0, -1), end: answer.end };
}

type Growing<T> = { -readonly [Field in keyof T]: T[Field] };

/** No line of a patch begins with `=`. */
function parseCommits(text: string): Commit[] {
  const lines = text.split("\n");
  const commits: Commit[] = [];
  for (let at = 0; at < lines.length; ) {
    const [, id, authored, committed, parents = ""] =
      /^=([0-9a-f]+) (\d+) (\d+) ?([0-9a-f ]*)$/.exec(lines[at] ?? "") ?? [];
    if (id === undefined) {
      at += 1;
      continue;
    }
    const [author = "", subject = ""] = [lines[at + 1]?.slice(1), lines[at + 2]?.slice(1)];
    const patch = parsePatch(lines, at + 3);
    at = patch.end;
    commits.push({
      id,
      parents: parents.split(" ").filter((parent) => parent !== ""),
      author,
      authoredAt: Number(authored) * 1000,
      committedAt: Number(committed) * 1000,
      subject,
      files: patch.files,
    });
  }
  return commits;
}

type GrowingFile = Growing<CommittedFile> & { hunks: CommittedHunk[] };

function parsePatch(lines: readonly string[], start: number): { files: CommittedFile[]; end: number } {
  const files: GrowingFile[] = [];
  let file: GrowingFile | undefined;
  let at = start;
  for (; at < lines.length && !lines[at]?.startsWith("="); at++) {
    const line = lines[at] ?? "";
    if (line.startsWith("diff --git ")) {
      file = { path: "", renamedFrom: null, change: "changed", hunks: [] };
      files.push(file);
    } else if (file && line.startsWith("@@ ")) {
      const hunk = readHunk(lines, at);
      file.hunks.push(hunk);
      at += hunk.lines;
    } else if (file) readHeading(file, line);
  }
  return { files: files.filter(({ path }) => path !== ""), end: at };
}

function readHeading(file: GrowingFile, line: string): void {
  const [, name, rest = ""] = /^(---|\+\+\+|rename from|rename to|new file|deleted file) (.*?)\t?$/s.exec(line) ?? [];
  if (name === "new file") file.change = "added";
  if (name === "deleted file") file.change = "deleted";
  if (name === "rename from") file.renamedFrom = unquoted(rest);
  if (name === "rename to") file.path = unquoted(rest);
  const isSide = name === "---" || name === "+++";
  const path = unquoted(rest);
  if (isSide && path !== "/dev/null") file.path = path.slice(2); // a/ or b/
}

/** Its counts say which lines are its own, whatever they begin with. */
function readHunk(lines: readonly string[], at: number): CommittedHunk & { readonly lines: number } {
  const [, oldStart = "0", oldCount = "1", newStart = "0", newCount = "1"] =
    /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(lines[at] ?? "") ?? [];
  const [removed, added]: [string[], string[]] = [[], []];
  let read = 0;
  const isOpen = () => removed.length < Number(oldCount) || added.length < Number(newCount);
  for (; (isOpen() || lines[at + read + 1]?.startsWith("\\")) && at + read + 1 < lines.length; read++) {
    const line = lines[at + read + 1] ?? "";
    if (line.startsWith("-")) removed.push(line.slice(1));
    if (line.startsWith("+")) added.push(line.slice(1));
  }
  return { oldStart: Number(oldStart), newStart: Number(newStart), removed, added, lines: read };
}

const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

/** Git quotes names with control characters, quotes and backslashes as C does, byte by byte. */
function unquoted(name: string): string {
  if (!name.startsWith('"')) return name;
  const bytes: number[] = [];
  const text = Buffer.from(name.replace(/^"|"$/g, ""), "utf8").toString("latin1");
  for (const [, octal, letter, plain = ""] of text.matchAll(/\\([0-7]{3})|\\(.)|([^\\])/gs)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else if (letter !== undefined) bytes.push(ESCAPES[letter] ?? letter.charCodeAt(0));
    else bytes.push(plain.charCodeAt(0));
  }
  return Buffer.from(bytes).toString("utf8");
}
