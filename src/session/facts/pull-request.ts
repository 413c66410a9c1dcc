import { toPullRequest } from "../../format/record/git-work.js";
import type { PullRequestLink } from "./facts.js";

/** A pull request as a person names it: `218`, `#218`, `owner/repo#218`, or its address. */
export interface PullRequestName {
  readonly number: number;
  /** Null: in any repository. */
  readonly repository: string | null;
  /** Null: on any host. */
  readonly host: string | null;
}

/** Undefined for anything else. */
export function parsePullRequestName(text: string): PullRequestName | undefined {
  const named = toPullRequest(text.trim());
  if (named) return { number: named.number, repository: named.repository, host: hostOf(named.url) };
  const [, repository, number] = /^(?:([^\s#]+\/[^\s#]+)?#)?(\d{1,15})$/.exec(text.trim()) ?? [];
  return number === undefined ? undefined : { number: Number(number), repository: repository ?? null, host: null };
}

export function isPullRequest(link: PullRequestLink, name: PullRequestName): boolean {
  const own = link.url === null ? undefined : toPullRequest(link.url);
  const number = link.number ?? own?.number;
  const repository = link.repository ?? own?.repository;
  const host = link.url === null ? undefined : hostOf(link.url);
  return (
    number === name.number &&
    (name.repository === null || repository?.toLowerCase() === name.repository.toLowerCase()) &&
    (name.host === null || host === undefined || host === name.host)
  );
}

/** One name for all links to the same pull request: `owner/repo#218` where its repository is known. */
export function pullRequestLabel(link: PullRequestLink): string {
  const own = link.url === null ? undefined : toPullRequest(link.url);
  const number = link.number ?? own?.number;
  const repository = link.repository ?? own?.repository ?? "";
  return number === undefined ? (link.url ?? "?") : `${repository}#${number}`;
}

function hostOf(url: string): string | null {
  return /^https?:\/\/([^/]+)\//.exec(url)?.[1]?.toLowerCase() ?? null;
}
