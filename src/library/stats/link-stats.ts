import { listAt } from "../../collections.js";
import { pullRequestLabel } from "../../session/facts/pull-request.js";
import type { CommitLink } from "../../session/facts/session-work.js";
import type { PriceTable } from "../../session/messages/cost.js";
import type { Database } from "../../store/sqlite.js";
import { readDividedNumbers } from "../catalog/divided-numbers.js";
import type { LibraryNumbers, SessionNumbers } from "../catalog/library-numbers.js";
import type { NumbersFilter } from "../catalog/numbers-scope.js";
import { readSessionLinks } from "../catalog/session-links.js";
import type { UserData } from "../found-session.js";
import { byCost, type Figures, filled, Tally, tallyAt } from "./tally.js";

/** Tables by what sessions left behind. Every message, call and turn is in one row, so the rows add up to the totals. */
export interface LinkStats {
  readonly byPullRequest: readonly (OfPullRequests & Figures)[];
  readonly byCommit: readonly (OfCommits & Figures)[];
}

/** A session that is linked to several pull requests counts for all of them together: nothing tells how it is divided. */
interface OfPullRequests {
  /** `owner/repo#218`; none: not known to belong to one. */
  readonly pullRequests: readonly string[];
}

/** What a session did from its commit before to this one. */
interface OfCommits {
  /** Several where one command made them; none: not known to have led to a commit. */
  readonly commits: readonly { readonly sha: string; readonly subject: string | null }[];
  readonly project: string | null;
}

export interface LinkQuestion {
  readonly roots: readonly string[];
  readonly filter: NumbersFilter;
  readonly userData: UserData;
  readonly prices?: PriceTable | undefined;
}

export function statsByPullRequest(
  db: Database,
  { sessions }: LibraryNumbers,
  { roots, prices }: LinkQuestion,
): LinkStats["byPullRequest"] {
  const links = readSessionLinks(db, roots);
  const tallies = new Map<string, Tally>();
  for (const numbers of sessions) {
    const pullRequests = links.get(numbers.session.path)?.pullRequests.map(pullRequestLabel).sort() ?? [];
    tallyAt(tallies, JSON.stringify({ pullRequests })).addSession(toTally(numbers));
  }
  return toRows<OfPullRequests>(tallies, prices);
}

export function statsByCommit(
  db: Database,
  { sessions }: LibraryNumbers,
  { roots, filter, userData, prices }: LinkQuestion,
): LinkStats["byCommit"] {
  const commits = commitsByMoment(db, roots);
  const moments = new Map([...commits].map(([path, made]) => [path, [...made.keys()]]));
  const parts = readDividedNumbers(db, roots, filter, userData, moments);
  const counted = new Set(sessions.map(({ session }) => session.path));
  const tallies = new Map<string, Tally>();
  const unknown = new Map<string, Tally>(); // by session, which counts once
  for (const numbers of sessions) {
    if (!commits.has(numbers.session.path)) tallyAt(unknown, numbers.session.path).addPart(toTally(numbers));
  }
  for (const { until, ...numbers } of parts) {
    const { path, project } = numbers.session;
    if (!counted.has(path)) continue;
    const made = (until === null ? undefined : commits.get(path)?.get(until)) ?? [];
    if (made.length === 0) tallyAt(unknown, path).addPart(toTally(numbers));
    else tallyAt(tallies, JSON.stringify({ commits: made.map(named), project })).addSession(toTally(numbers));
  }
  for (const tally of unknown.values()) tallyAt(tallies, UNKNOWN_COMMIT).addSession(tally);
  return toRows<OfCommits>(tallies, prices);
}

const UNKNOWN_COMMIT = JSON.stringify({ commits: [], project: null } satisfies OfCommits);

/** Of each session, by the time when git reported them. A commit that a fork repeats is where its messages are. */
function commitsByMoment(db: Database, roots: readonly string[]): Map<string, Map<number, CommitLink[]>> {
  const found = new Map<string, Map<number, CommitLink[]>>();
  for (const [path, { commits }] of readSessionLinks(db, roots)) {
    const moments = new Map<number, CommitLink[]>();
    for (const commit of commits) {
      const at = Date.parse(commit.at ?? "");
      if (!Number.isNaN(at)) listAt(moments, at).push(commit);
    }
    if (moments.size > 0) found.set(path, moments);
  }
  return found;
}

function named({ sha, subject }: CommitLink): OfCommits["commits"][number] {
  return { sha, subject };
}

function toTally({ messages, calls, turns }: SessionNumbers): Tally {
  const tally = new Tally();
  for (const span of messages) tally.addMessages(span);
  for (const span of calls) tally.addCalls(span);
  for (const span of turns) tally.addTurns(span);
  return tally;
}

/** Keys are JSON of what a row is for. */
function toRows<Of extends object>(tallies: ReadonlyMap<string, Tally>, prices?: PriceTable): (Of & Figures)[] {
  return filled(tallies)
    .map(([key, tally]) => ({ ...(JSON.parse(key) as Of), ...tally.figures(prices) }))
    .sort(byCost);
}
