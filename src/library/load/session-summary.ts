import { UserError } from "../../errors.js";
import { samePath } from "../../format/layout/path-forms.js";
import type { PullRequestLink } from "../../session/facts/facts.js";
import { isPullRequest, type PullRequestName, pullRequestLabel } from "../../session/facts/pull-request.js";
import type { CommitLink } from "../../session/facts/session-work.js";
import type { Usage } from "../../session/messages/usage.js";
import type { Outline } from "../../session/open-session.js";
import { type Counts, pickCounts, type SessionCosts } from "../../session/session-spend.js";
import type { KnownFacts } from "../found-session.js";
import type { LoadedSession } from "./load-session.js";

/** What a session and its sub-agents left outside of it. */
export interface SessionLinks {
  readonly pullRequests: readonly PullRequestLink[];
  readonly commits: readonly SessionCommit[];
}

export interface SessionCommit extends CommitLink {
  /** How it is known: git reported it to the session, or it holds what the session wrote. */
  readonly by: "command" | "content";
}

export function toReported(commit: CommitLink): SessionCommit {
  return { ...commit, by: "command" };
}

export function linksOf(outlines: readonly Pick<Outline, "facts">[]): SessionLinks {
  return joinLinks(
    outlines.map(({ facts }) => ({
      pullRequests: facts.pullRequests,
      commits: facts.work.commits.map(toReported),
    })),
  );
}

/** Each pull request and each commit once. */
export function joinLinks(links: readonly SessionLinks[]): SessionLinks {
  const [only, ...others] = links;
  if (only && others.length === 0) return only;
  const pullRequests = links.flatMap((one) => one.pullRequests);
  const commits = links.flatMap((one) => one.commits);
  return {
    pullRequests: [...new Map(pullRequests.map((one) => [pullRequestLabel(one), one])).values()],
    commits: [...new Map(commits.map((one) => [one.sha, one])).values()],
  };
}

/** One line of a list of sessions. */
export interface SessionSummary extends KnownFacts, SessionCosts, SessionLinks {
  readonly id: string;
  readonly path: string;
  readonly project: string | null;
  readonly title: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly models: readonly string[];
  /** Of the session's own file, rewound branches and copied messages included. */
  readonly usage: Usage;
  readonly costUsd: number | null;
  readonly sizeBytes: number;
  readonly subagents: number;
  readonly gitBranch: string | null;
  /** Of the active branch of the session's own file, copied turns included and without its sub-agents. */
  readonly conversation: Counts;
  readonly tools: readonly string[];
}

/** What the session's own file tells. */
type FileSummary = Omit<SessionSummary, keyof SessionCosts>;

export function summarizeSession({ header, outline, sizeBytes }: LoadedSession, subagents: number): FileSummary {
  const { totals, calls } = outline;
  return {
    id: header.id,
    path: header.path,
    project: header.project,
    title: header.title,
    startedAt: header.startedAt,
    endedAt: header.endedAt,
    models: header.models,
    usage: totals.usage,
    costUsd: totals.costUsd,
    sizeBytes,
    subagents,
    gitBranch: header.gitBranch,
    conversation: pickCounts(totals),
    tools: [...new Set([...calls.values()].map(({ name }) => name))],
    userTitle: header.userTitle,
    tags: header.tags,
    favourite: header.favourite,
    note: header.note,
    source: header.source,
    archived: header.archived,
    ...linksOf([outline]),
  };
}

type Activity = Pick<SessionSummary, "id" | "path" | "endedAt">;

export function byLatestActivity(a: Activity, b: Activity): number {
  return compare(b.endedAt ?? "", a.endedAt ?? "") || compare(a.id, b.id) || compare(a.path, b.path);
}

/** By code units: many times faster than `localeCompare`. */
function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** The filters that all commands share. */
export interface SessionFilter {
  readonly project?: string;
  readonly since?: number; // ms since the epoch
  readonly until?: number;
  readonly model?: string;
  readonly gitBranch?: string;
  readonly errors?: boolean;
  readonly tool?: string;
  readonly tags?: readonly string[]; // all of them
  readonly favourites?: boolean;
  readonly source?: string;
  readonly pullRequest?: PullRequestName;
  readonly commit?: CommitChoice;
  readonly limit?: number;
}

/** One commit, by what may be known of it. */
export interface CommitChoice {
  /** Its sha, or its beginning, and the shas under which it was known before a rebase. */
  readonly shas: readonly string[];
  /** What a rebase keeps of it. */
  readonly written?: WrittenCommit;
  /** The sessions, by path, that wrote what it holds. */
  readonly writers?: ReadonlyMap<string, SessionCommit>;
}

interface WrittenCommit {
  readonly subject: string;
  readonly at: number; // ms since the epoch
  /** The folders of its repository: a session in another place has written another commit. */
  readonly folders: readonly string[];
}

/** Git notes seconds, and hooks run before the command ends. */
const COMMIT_MS = 600_000;

export function isCommit(link: CommitLink, project: string | null, { shas, written }: CommitChoice): boolean {
  if (shas.some((sha) => link.sha.startsWith(sha) || sha.startsWith(link.sha))) return true;
  if (!written || link.subject !== written.subject || link.at === null) return false;
  if (!written.folders.some((folder) => isOfProject(project, folder))) return false;
  const late = Date.parse(link.at) - written.at;
  return late >= -1000 && late <= COMMIT_MS;
}

export function matchesFilter(session: SessionSummary, filter: SessionFilter): boolean {
  return matchesFile(session, filter);
}

/** The same where the cost of its sub-agents is not known. */
export function matchesFile(session: FileSummary, filter: SessionFilter): boolean {
  const { startedAt, endedAt } = session;
  return (
    (filter.project === undefined || isOfProject(session.project, filter.project)) &&
    (filter.since === undefined || Date.parse(endedAt ?? startedAt ?? "") >= filter.since) &&
    (filter.until === undefined || Date.parse(startedAt ?? endedAt ?? "") <= filter.until) &&
    (filter.model === undefined || session.models.some((model) => includesText(model, filter.model ?? ""))) &&
    (filter.gitBranch === undefined || session.gitBranch === filter.gitBranch) &&
    (!filter.errors || session.conversation.failedToolCalls + session.conversation.apiErrors > 0) &&
    (filter.tool === undefined || isAmong(filter.tool, session.tools)) &&
    matchesLinks(session, session, filter) &&
    matchesMarks(session, filter)
  );
}

export function matchesLinks(
  { pullRequests, commits }: SessionLinks,
  { path, project }: { readonly path: string; readonly project: string | null },
  { pullRequest, commit }: SessionFilter,
): boolean {
  return (
    (pullRequest === undefined || pullRequests.some((link) => isPullRequest(link, pullRequest))) &&
    (commit === undefined || commit.writers?.has(path) || commits.some((link) => isCommit(link, project, commit)))
  );
}

/** The filters on what is known of a session without reading it. */
export function matchesMarks(
  { tags, favourite, source }: Pick<KnownFacts, "tags" | "favourite" | "source">,
  filter: SessionFilter,
): boolean {
  return (
    (filter.tags === undefined || filter.tags.every((tag) => isAmong(tag, tags))) &&
    (!filter.favourites || favourite) &&
    (filter.source === undefined || isAmong(filter.source, source === null ? [] : [source]))
  );
}

/** A path selects a project and its subfolders; anything else is matched as a part of the path. */
export function isOfProject(project: string | null, wanted: string): boolean {
  if (project === null) return false;
  if (!/[/\\]/.test(wanted)) return includesText(project, wanted);
  return samePath(project, wanted, process.platform) || project.startsWith(wanted.replace(/[/\\]*$/, "/"));
}

export function isAmong(name: string, names: readonly string[]): boolean {
  return names.some((other) => other.toLowerCase() === name.toLowerCase());
}

export function includesText(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase());
}

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

const AGO = /^(\d+)\s*(?:([mhdw])|(minute|hour|day|week)s?\s+ago)$/i;

/** `7d`, `12h`, `2 weeks ago`, `today`, `yesterday`, `2026-05-01`, or an ISO time; days begin at local midnight. */
export function parseMoment(text: string, now = Date.now()): number {
  const [, count, letter, word] = AGO.exec(text) ?? [];
  const unit = (letter ?? word)?.charAt(0).toLowerCase();
  if (unit !== undefined) return now - Number(count) * (UNIT_MS[unit] ?? 0);
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  if (text === "today") return midnight;
  if (text === "yesterday") return midnight - (UNIT_MS["d"] ?? 0);
  const time = Date.parse(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00` : text);
  if (!Number.isNaN(time) && hasRealDay(text)) return time;
  throw new UserError("usage", `not a time: ${text}`, "for example 7d, 12h, yesterday, 2026-05-01");
}

/** False for the 30th of February, which `Date.parse` takes for the 2nd of March. */
export function hasRealDay(text: string): boolean {
  const day = /^\d{4}-\d{2}-\d{2}/.exec(text)?.[0];
  if (day === undefined) return true;
  const time = Date.parse(day);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}
