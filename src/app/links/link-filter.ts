import { basename, dirname } from "node:path";
import { UserError } from "../../errors.js";
import type { GitPlace } from "../../format/git/git-remotes.js";
import type { SearchedSessions } from "../../library/links/changing-sessions.js";
import { openHistory } from "../../library/links/open-history.js";
import type { LoadOptions } from "../../library/load/load-session.js";
import {
  type CommitChoice,
  isCommit,
  type SessionFilter,
  type SessionSummary,
} from "../../library/load/session-summary.js";
import { parsePullRequestName } from "../../session/facts/pull-request.js";

export interface LinkOptions {
  readonly pr?: string;
  readonly commit?: string;
}

/** The filters on pull requests and commits, as a user writes them. */
export async function toLinkFilter(
  { pr, commit }: LinkOptions,
  cwd: string,
): Promise<Pick<SessionFilter, "pullRequest" | "commit">> {
  const pullRequest = pr === undefined ? undefined : parsePullRequestName(pr);
  if (pr !== undefined && !pullRequest) {
    throw new UserError("usage", `not a pull request: ${pr}`, "for example 218, owner/repo#218, or its address");
  }
  return {
    ...(pullRequest ? { pullRequest } : {}),
    ...(commit === undefined ? {} : { commit: await chooseCommit(commit, cwd) }),
  };
}

/** As the repository of a folder knows it, which finds it also under the sha that it had before a rebase; else by its sha alone. */
async function chooseCommit(name: string, cwd: string): Promise<CommitChoice> {
  const known = await findCommit(name, cwd);
  if (known) return known;
  if (/^[0-9a-f]{4,64}$/i.test(name)) return { shas: [name.toLowerCase()] };
  throw new UserError("not-found", `no such commit: ${name}`, "use its sha, or run this in its repository");
}

/** Also the sessions that wrote what the commit holds, where the repository of a folder knows it. */
export async function withWriters(
  filter: SessionFilter,
  cwd: string,
  searched: SearchedSessions,
  load: LoadOptions,
): Promise<SessionFilter> {
  const { commit } = filter;
  const [sha] = commit?.shas ?? [];
  if (!commit?.written || sha === undefined) return filter;
  const { findCommitWriters } = await import("../../library/links/commit-writers.js");
  return { ...filter, commit: { ...commit, writers: await findCommitWriters(sha, cwd, searched, load) } };
}

/** Tells of each session that wrote what the commit holds, unless git told the session of it. */
export function linkWriters(sessions: readonly SessionSummary[], { commit }: SessionFilter): readonly SessionSummary[] {
  if (!commit?.writers?.size) return sessions;
  return sessions.map((session) => {
    const link = commit.writers?.get(session.path);
    const isKnown = session.commits.some((known) => isCommit(known, session.project, commit));
    return link && !isKnown ? { ...session, commits: [...session.commits, link] } : session;
  });
}

/** Of this work tree, and of the repository whose it is. */
function foldersOf({ root, commonDir }: GitPlace): string[] {
  return basename(commonDir) === ".git" ? [...new Set([root, dirname(commonDir)])] : [root];
}

async function findCommit(name: string, cwd: string): Promise<CommitChoice | undefined> {
  const history = openHistory(cwd);
  if (!history) return undefined;
  try {
    const format = ["--no-walk=unsorted", "--format=%H %at %s", "--end-of-options", name, "--"];
    const { output, end } = await history.run(["log", ...format], { maxBytes: 64 * 1024 });
    const [, sha, at, subject = ""] = /^([0-9a-f]{40,64}) (\d+) ([^\n]*)\n$/.exec(output.toString("utf8")) ?? [];
    if (end !== "done" || sha === undefined) return undefined;
    return { shas: [sha], written: { subject, at: Number(at) * 1000, folders: foldersOf(history.place) } };
  } finally {
    history.close();
  }
}
