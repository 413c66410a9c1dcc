import { join } from "node:path";
import type { GitHistory } from "../../format/git/run-git.js";
import { readSmallFile } from "../../format/layout/small-file.js";
import type { FileCommit } from "../../session/blame/blame-lines.js";

/** The commits that changed a file, with what it held after each. */
export interface FileCommits {
  /** Parents before children. */
  readonly commits: readonly FileCommit[];
  readonly head: string | null;
  /** What the file was called before, from the root of the repository. */
  readonly formerNames: readonly string[];
  /** Older commits were not read. */
  readonly isCut: boolean;
}

const MAX_COMMITS = 3000;
const MAX_RENAMES = 20;
const NO_COMMITS: FileCommits = { commits: [], head: null, formerNames: [], isCut: false };

/** `path` from the root of the repository, with slashes; `place` is where the file is, `from` the commit that is read up to. */
export async function readFileCommits(
  history: GitHistory,
  path: string,
  place: string,
  from = "HEAD",
): Promise<FileCommits> {
  const listed = await listCommits(history, from, path);
  if (!listed || listed.length === 0) return NO_COMMITS;
  const chains: NamedCommits[] = [{ path, listed }];
  for (let chain = chains[0]; chain && chains.length <= MAX_RENAMES; ) {
    const earlier = await listBeforeRename(history, chain);
    if (earlier) chains.push(earlier);
    chain = earlier;
  }
  const all = chains.toReversed().flatMap((chain) => chain.listed.map((commit) => ({ ...commit, path: chain.path })));
  const kept = all.slice(-MAX_COMMITS);
  const contents = await readContents(history, kept);
  const known = new Set(contents.keys());
  const local = readLocalCommits(history.place.gitDir);
  const shallow = new Set(readLines(join(history.place.commonDir, "shallow")));
  const commits = kept.flatMap(({ id, parents, time }): FileCommit[] => {
    const content = contents.get(id);
    if (content === undefined) return [];
    const since = local.get(id);
    return [
      {
        id,
        time,
        content,
        parents: parents.filter((parent) => known.has(parent)),
        isCut: shallow.has(id) || parents.some((parent) => !known.has(parent)),
        local: since === undefined ? null : { place, since },
      },
    ];
  });
  const head = listed.at(-1)?.id ?? null;
  const isCut = kept.length < all.length || known.size < kept.length;
  const formerNames = [...new Set(chains.slice(1).map((chain) => chain.path))];
  return { commits, head: head !== null && known.has(head) ? head : null, formerNames, isCut };
}

interface ListedCommit {
  readonly id: string;
  readonly parents: string[];
  readonly time: number;
}

interface NamedCommits {
  readonly path: string;
  readonly listed: ListedCommit[];
}

/** The history under the name that the file had before; its last commit becomes the parent of the one that renamed it. */
async function listBeforeRename(
  history: GitHistory,
  { path, listed: [oldest] }: NamedCommits,
): Promise<NamedCommits | undefined> {
  if (!oldest || oldest.parents.length > 0) return undefined;
  const former = await findFormerName(history, oldest.id, path);
  const listed = former === undefined ? undefined : await listCommits(history, `${oldest.id}^`, former);
  const last = listed?.at(-1);
  if (former === undefined || !listed || !last) return undefined;
  oldest.parents.push(last.id);
  return { path: former, listed };
}

/** Parents before children; the parents are those among the commits that changed the file. */
async function listCommits(history: GitHistory, from: string, path: string): Promise<ListedCommit[] | undefined> {
  const order = ["--topo-order", "--parents", "--timestamp", `--max-count=${MAX_COMMITS + 1}`];
  const what = ["--end-of-options", from, "--", `:(top,literal)${path}`];
  const { output, end } = await history.run(["rev-list", ...order, ...what]);
  if (end !== "done") return undefined;
  const lines = output.toString("utf8").split("\n");
  return lines
    .flatMap((line) => {
      const [time = "", id = "", ...parents] = line.split(" ");
      return id === "" ? [] : [{ id, parents, time: Number(time) * 1000 }];
    })
    .reverse();
}

/** What a file was called before the commit that added it. */
async function findFormerName(history: GitHistory, commit: string, path: string): Promise<string | undefined> {
  const how = ["-r", "-z", "--find-renames", "--diff-filter=R", "--name-status", "--no-commit-id"];
  const { output, end } = await history.run(["diff-tree", ...how, "--end-of-options", commit]);
  if (end !== "done") return undefined;
  const fields = output.toString("utf8").split("\0");
  for (let at = 0; at + 2 < fields.length; at += 3) if (fields[at + 2] === path) return fields[at + 1];
  return undefined;
}

/** By commit; those that are not known are missing. Reads the newest first, up to the bounds of a git command. */
async function readContents(
  history: GitHistory,
  commits: readonly { readonly id: string; readonly path: string }[],
): Promise<Map<string, string | null>> {
  const contents = new Map<string, string | null>();
  const asked = commits.toReversed();
  const input = asked.map(({ id, path }) => `${id}:${path}\n`).join("");
  if (commits.some(({ path }) => path.includes("\n"))) return contents;
  const { output } = await history.run(["cat-file", "--batch"], { input });
  let at = 0;
  for (const { id } of asked) {
    const end = output.indexOf(10, at);
    if (end < 0) break;
    const [, type, size] = output.toString("utf8", at, end).split(" ");
    at = end + 1;
    if (type !== "blob") {
      contents.set(id, null); // missing
      if (type === "tree" || type === "commit") at += Number(size) + 1;
      continue;
    }
    if (at + Number(size) > output.length) break;
    contents.set(id, output.toString("utf8", at, at + Number(size)));
    at += Number(size) + 1;
  }
  return contents;
}

const MAX_LOG_BYTES = 16 * 1024 * 1024;

function readLines(path: string): string[] {
  return readSmallFile(path, { maxBytes: MAX_LOG_BYTES })?.toString("utf8").split("\n") ?? [];
}

/**
 * The commits that were made in a work tree, with the time since which nothing but commits had moved its HEAD: what the file
 * held in between led to the commit.
 */
function readLocalCommits(gitDir: string): Map<string, number> {
  const local = new Map<string, number>();
  let since = 0;
  for (const line of readLines(join(gitDir, "logs", "HEAD"))) {
    const [, old, id, seconds, message = ""] = /^([0-9a-f]+) ([0-9a-f]+) .*? (\d+) [+-]\d+\t(.*)$/.exec(line) ?? [];
    if (id === undefined) continue;
    if (/^commit(?: \((?:amend|initial)\))?: /.test(message)) local.set(id, since);
    else if (old !== id || !message.startsWith("checkout:")) since = (Number(seconds) + 1) * 1000;
  }
  return local;
}
