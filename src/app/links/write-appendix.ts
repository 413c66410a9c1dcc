import {
  type Appendix,
  type AppendixPlace,
  gatherAppendixSession,
  openAppendixRoom,
} from "../../edit/handoff/gather-appendix.js";
import { UserError } from "../../errors.js";
import type { FoundSession } from "../../library/found-session.js";
import { type LoadedSession, type LoadOptions, loadFound } from "../../library/load/load-session.js";
import type { SessionSummary } from "../../library/load/session-summary.js";
import { listTouchedFiles } from "../../library/load/touched-files.js";
import { isPullRequest, type PullRequestName, pullRequestLabel } from "../../session/facts/pull-request.js";
import { sumFiles } from "../../session/file-history/file-touches.js";
import { sumUsage } from "../../session/messages/usage.js";
import type { Turn } from "../../session/turns/build-turn.js";

export interface AppendixRequest {
  /** As the user wrote it. */
  readonly name: string;
  readonly pullRequest: PullRequestName;
  readonly load: LoadOptions;
  /** Removes secrets from each text before it is cut. */
  readonly clean: (text: string) => string;
  find(session: SessionSummary): FoundSession | undefined;
}

/** More sessions are counted, and left out. */
const MOST_SESSIONS = 60;

/** What led to a pull request, from all sessions that are linked to it. One session in memory at a time. */
export function writeAppendix(linked: readonly SessionSummary[], request: AppendixRequest): Appendix {
  const { name, pullRequest, load, clean, find } = request;
  const links = linked.flatMap(({ pullRequests }) => pullRequests.filter((link) => isPullRequest(link, pullRequest)));
  const labels = [...new Set(links.map(pullRequestLabel))];
  const [label = name] = labels;
  const url = links.flatMap((link) => link.url ?? [])[0];
  if (linked.length === 0) {
    throw new UserError(
      "not-found",
      `no session is linked to pull request ${name}`,
      "`turnlog stats --by pr` lists them",
    );
  }
  if (labels.length > 1) {
    throw new UserError(
      "usage",
      `several pull requests are called ${name}: ${labels.join(", ")}`,
      `for example --pr ${label}`,
    );
  }
  const inOrder = linked.toSorted((a, b) => ((a.startedAt ?? "") < (b.startedAt ?? "") ? -1 : 1));
  const room = openAppendixRoom(Math.min(linked.length, MOST_SESSIONS), clean);
  const sessions = inOrder.slice(0, MOST_SESSIONS).flatMap((summary) => {
    const found = find(summary);
    if (!found) return [];
    const session = loadFound(found, load);
    const { touches, cwd } = listTouchedFiles(session);
    const source = { turns: session.turns(), agentTurns: turnsOfAgents(session), files: sumFiles(touches, cwd) };
    return [gatherAppendixSession({ ...source, place: placeOf(summary, label) }, room)];
  });
  return {
    pullRequest: clean(label),
    url: url === undefined ? null : clean(url),
    totals: {
      sessions: linked.length,
      turns: linked.reduce((sum, { turns }) => sum + turns, 0),
      usage: sumUsage(linked.map(({ totalUsage }) => totalUsage)),
      costUsd: linked.reduce<number | null>(
        (sum, { totalCostUsd: cost }) => (sum === null || cost === null ? null : sum + cost),
        0,
      ),
    },
    sessions,
    leftOut: room.leftOut + linked.length - sessions.length,
  };
}

function placeOf(summary: SessionSummary, label: string): AppendixPlace {
  const { id, title, project, gitBranch, startedAt, endedAt, turns, totalCostUsd, pullRequests, commits } = summary;
  const others = pullRequests.map(pullRequestLabel).filter((other) => other !== label);
  const made = commits.map(({ sha, subject, at }) => ({ sha, subject, at }));
  const place = { id, title, project, gitBranch, startedAt, endedAt, turns, costUsd: totalCostUsd };
  return { ...place, otherPullRequests: others, commits: made };
}

function* turnsOfAgents(session: LoadedSession): Generator<Turn> {
  for (const agent of session.subagents()) if (!agent.warmup) yield* session.subagentSession(agent).turns();
}
