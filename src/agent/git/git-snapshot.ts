import { execFile } from "node:child_process";
import { childEnvironment } from "../child-environment.js";
import { openShadowGit, type ShadowGit } from "./shadow-git.js";

const TIME_LIMIT_MS = 2_000;
const MAX_STATUS_CHARS = 2_000;
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Branch, status and recent commits in Claude Code's words, for the system prompt. Undefined: there is no repository that may be
 * read without a question, or git took too long.
 */
export async function readGitSnapshot(folder: string): Promise<string | undefined> {
  const shadow = openShadowGit(folder);
  if (!shadow) return undefined;
  const signal = AbortSignal.timeout(TIME_LIMIT_MS);
  const ask = (...args: string[]) => runGit(shadow, folder, args, signal);
  try {
    const [branch, remoteHead, heads, status, commits] = await Promise.all([
      ask("branch", "--show-current"),
      ask("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"),
      ask("branch", "--list", "--format=%(refname:short)", "main", "master"),
      ask("status", "--short"),
      ask("log", "--oneline", "--no-decorate", "--max-count=5"),
    ]);
    if (branch === undefined || status === undefined) return undefined;
    const main = remoteHead?.replace(/^origin\//, "") || heads?.split("\n")[0] || "main";
    return describe({ branch: branch || "HEAD", main, status, commits: commits ?? "" });
  } finally {
    shadow.close();
  }
}

interface Facts {
  readonly branch: string;
  readonly main: string;
  readonly status: string;
  readonly commits: string;
}

function describe({ branch, main, status, commits }: Facts): string {
  const isLong = status.length > MAX_STATUS_CHARS;
  const shown = isLong ? `${status.slice(0, MAX_STATUS_CHARS)}\n… (cut; git status shows all)` : status || "(clean)";
  return [
    "This is the git status at the start of the conversation. Note that this status is a snapshot in time, and will not update during the conversation.",
    `Current branch: ${branch}`,
    `Main branch (you will usually use this for PRs): ${main}`,
    `Status:\n${shown}`,
    `Recent commits:\n${commits || "(none)"}`,
  ].join("\n\n");
}

/** What git prints; undefined if it fails. */
function runGit(
  shadow: ShadowGit,
  cwd: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const env = shadow.environment(childEnvironment("command"));
  return new Promise((resolve) => {
    execFile("git", args, { cwd, env, signal, killSignal: "SIGKILL", maxBuffer: MAX_BYTES }, (error, stdout) =>
      resolve(error ? undefined : withoutControls(stdout.trimEnd())),
    );
  });
}

/** Subjects of commits are anybody's text. */
function withoutControls(text: string): string {
  return text.replace(/(?!\n)\p{Cc}/gu, " ");
}
