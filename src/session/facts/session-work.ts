import {
  changedPaths,
  type NamedPullRequest,
  type PrintedCommit,
  pathToChange,
  type ShellWork,
  shellOutput,
  toNotedWork,
  toOpenedPullRequest,
  toPrintedCommits,
  toShellWork,
} from "../../format/record/git-work.js";
import type { AssistantRecord, UserRecord } from "../../format/record/record.js";

/** A commit that git reported to the session. */
export interface CommitLink extends PrintedCommit {
  readonly at: string | null; // when the command had ended
}

/** What a session left behind: commits that it made, and files that it changed. JSON, so that it can be stored. */
export interface SessionWork {
  commits: CommitLink[];
  /** As recorded. */
  changedFiles: string[];
  /** Calls without a result so far whose output may tell of a commit or a pull request. */
  awaited: { id: string; work: ShellWork }[];
}

export function emptyWork(): SessionWork {
  return { commits: [], changedFiles: [], awaited: [] };
}

const MAX_FILES = 10_000;

/** Adds what one record tells; copies from another session tell nothing about this one. Returns the pull requests that it names. */
export function observeWork(work: SessionWork, record: AssistantRecord | UserRecord): NamedPullRequest[] {
  if (record.forkedFrom) return [];
  if (record.kind === "user") return observeResults(work, record);
  for (const block of record.blocks) {
    if (block.kind !== "toolCall") continue;
    const path = pathToChange(block);
    if (path !== undefined) addFile(work, path);
    const kind = toShellWork(block);
    if (kind !== "other") work.awaited.push({ id: block.id, work: kind });
  }
  return [];
}

function observeResults(work: SessionWork, record: UserRecord): NamedPullRequest[] {
  const { blocks, toolUseResult, timestamp } = record;
  const results = blocks.filter((block) => block.kind === "toolResult");
  if (results.length === 0) return [];
  for (const path of changedPaths(toolUseResult)) addFile(work, path);
  const noted = results.length === 1 ? toNotedWork(toolUseResult) : undefined;
  const found: NamedPullRequest[] = noted?.pullRequest ? [noted.pullRequest] : [];
  const commits: PrintedCommit[] = [];
  for (const { toolUseId, text, isError } of results) {
    const at = work.awaited.findIndex(({ id }) => id === toolUseId);
    const [awaited] = at < 0 ? [] : work.awaited.splice(at, 1);
    if (!awaited) continue;
    const output = (results.length === 1 ? shellOutput(toolUseResult) : undefined) ?? text;
    commits.push(...toPrintedCommits(output));
    const opened = awaited.work === "opens-pull-request" && !isError ? toOpenedPullRequest(output) : undefined;
    if (opened) found.push(opened);
  }
  if (noted?.commit && commits.length === 0) commits.push(noted.commit);
  for (const commit of commits) addCommit(work, { ...commit, at: timestamp ?? null });
  return found;
}

function addCommit(work: SessionWork, commit: CommitLink): void {
  if (!work.commits.some(({ sha }) => sha === commit.sha)) work.commits.push(commit);
}

function addFile(work: SessionWork, path: string): void {
  const known = knownFiles.get(work) ?? new Set(work.changedFiles);
  knownFiles.set(work, known);
  if (known.has(path) || known.size >= MAX_FILES) return;
  known.add(path);
  work.changedFiles.push(path);
}

/** Beside the work, which is JSON. */
const knownFiles = new WeakMap<SessionWork, Set<string>>();
