import { execFileSync } from "node:child_process";

const TIMEOUT_MS = 3_000;
const MAX_CHARS = 2_000;

/** Branch, changes and last commits; undefined where there is no repository or no git. */
export function readGitStatus(cwd: string): string | undefined {
  const status = git(cwd, ["status", "--short", "--branch"]);
  if (status === undefined) return undefined;
  const log = git(cwd, ["log", "--oneline", "-n", "5"]);
  const shown = status.length > MAX_CHARS ? `${status.slice(0, MAX_CHARS)}\n… (cut)` : status;
  return [`Status:\n${shown}`, ...(log ? [`Last commits:\n${log}`] : [])].join("\n\n");
}

function git(cwd: string, args: readonly string[]): string | undefined {
  try {
    return execFileSync("git", ["--no-optional-locks", ...args], {
      cwd,
      encoding: "utf8",
      timeout: TIMEOUT_MS,
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return undefined; // no repository, no commit yet, or no git
  }
}
