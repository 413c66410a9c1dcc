import { arrayAt, asString, numberAt, objectAt, stringAt } from "../json.js";
import type { ToolCallBlock } from "./content-block.js";

/** A commit as git named it to the session that made it. */
export interface PrintedCommit {
  readonly sha: string; // as git printed it: mostly its beginning
  readonly branch: string | null; // null: not on a branch
  readonly subject: string | null;
}

export interface NamedPullRequest {
  readonly number: number;
  readonly url: string;
  readonly repository: string;
}

/** What the output of a shell command may tell, judged by the command. A long one is not known when records are abridged. */
export type ShellWork = "commits" | "opens-pull-request" | "unknown" | "other";

export function toShellWork({ name, input }: Pick<ToolCallBlock, "name" | "input">): ShellWork {
  if (name !== "Bash") return "other";
  const command = stringAt(input, "command");
  if (command === undefined) return "unknown";
  if (/\bgh\s+pr\s+create\b/.test(command)) return "opens-pull-request";
  return /\bgit\b[^;&|]*\s(?:commit|cherry-pick|revert|merge|am)\b/.test(command) ? "commits" : "other";
}

const COMMITTED = /^\[(.+?)(?: \(root-commit\))? ([0-9a-f]{7,64})\] (.*)$/;
/** What git prints beneath it. */
const SUMMARY = /^ (?:\d+ files? changed|Date: |Author: |(?:create|delete) mode |rename )/;

/** Git's own lines about new commits: `[main 7be1d30] subject`, then what changed. */
export function toPrintedCommits(output: string): PrintedCommit[] {
  const lines = output.split(/\r?\n/);
  return lines.flatMap((line, at) => {
    const [, branch = "", sha, subject = ""] = COMMITTED.exec(line) ?? [];
    if (sha === undefined || !SUMMARY.test(lines[at + 1] ?? "")) return [];
    return [{ sha, branch: branch === "detached HEAD" ? null : branch, subject }];
  });
}

/** The last line of `gh pr create` is the address. */
export function toOpenedPullRequest(output: string): NamedPullRequest | undefined {
  const last = output.trimEnd().split("\n").at(-1)?.trim() ?? "";
  return toPullRequest(last);
}

/** What Claude Code noted about git beside the output of a command. */
export function toNotedWork(toolUseResult: unknown): {
  readonly commit: PrintedCommit | undefined;
  readonly pullRequest: NamedPullRequest | undefined;
} {
  const noted = objectAt(toolUseResult, "gitOperation");
  const sha = stringAt(noted, "commit", "sha");
  const isSha = sha !== undefined && /^[0-9a-f]{7,64}$/.test(sha);
  return {
    commit: isSha ? { sha, branch: null, subject: null } : undefined,
    pullRequest: toPullRequest(stringAt(noted, "pr", "url") ?? "", numberAt(noted, "pr", "number")),
  };
}

const PULL_REQUEST =
  /^https?:\/\/[^/\s]+\/([^\s?#]+?)\/(?:-\/)?(?:pull|pulls|merge_requests|pull-requests)\/(\d{1,15})\b/;

/** From the address of a pull request on GitHub, GitLab, Gitea or Bitbucket. */
export function toPullRequest(url: string, known?: number): NamedPullRequest | undefined {
  const [whole, repository = "", number] = PULL_REQUEST.exec(url) ?? [];
  if (whole === undefined || (known !== undefined && known !== Number(number))) return undefined;
  return { number: Number(number), url: whole, repository };
}

/** The output of a shell command. */
export function shellOutput(toolUseResult: unknown): string | undefined {
  return stringAt(toolUseResult, "stdout");
}

/** The files that a result says were changed; also those that a shell command changed, as far as they are named. */
export function changedPaths(toolUseResult: unknown): string[] {
  const own = [stringAt(toolUseResult, "filePath"), stringAt(toolUseResult, "notebook_path")];
  const noted = objectAt(toolUseResult, "bashEditDiff");
  const byCommand = [
    ...arrayAt(noted, "changedFiles").map(asString),
    ...arrayAt(noted, "files").map((file) => stringAt(file, "filePath")),
  ];
  return [...own, ...byCommand].filter((path) => path !== undefined && path !== "").map(String);
}

const WRITING_TOOLS: ReadonlySet<string> = new Set(["Edit", "MultiEdit", "NotebookEdit", "Write"]);

/** The file that a call is about to change. */
export function pathToChange({ name, input }: Pick<ToolCallBlock, "name" | "input">): string | undefined {
  if (!WRITING_TOOLS.has(name)) return undefined;
  return stringAt(input, "file_path") ?? stringAt(input, "notebook_path");
}
