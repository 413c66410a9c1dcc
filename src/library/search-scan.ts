import { findSubagentFiles } from "../format/find-subagents.js";
import type { FileProblem } from "../format/folder-listing.js";
import type { SearchText } from "../session/search-texts.js";
import { findSessions } from "./find-sessions.js";
import type { FoundSession } from "./found-session.js";
import { hitSnippet, type Mask, promptLine } from "./hit-snippet.js";
import { encodeTurnLines, turnOfLine } from "./indexed/turn-lines.js";
import { type LoadedSession, loadFound } from "./load-session.js";
import { once } from "./once.js";
import { type PlacedText, scanFileTexts } from "./scan-file-texts.js";
import type { SearchHit } from "./search-hit.js";
import { kindsOf, type SearchRequest, type TextMatcher } from "./search-request.js";
import { matchesFilter } from "./session-filter.js";
import { summarizeSession } from "./session-summary.js";
import { skipUnreadable } from "./skip-unreadable.js";

/** Reads all sessions below the roots that pass the filters and yields every text that matches, the sessions written to last first. */
export function* searchByScan(
  roots: readonly string[],
  request: SearchRequest,
  matcher: TextMatcher,
  problems: FileProblem[],
  mask?: Mask,
): Generator<SearchHit> {
  yield* scanSessions(findSessions(roots, request.knowledge).sessions, request, matcher, problems, mask);
}

/** The same in sessions that were found already. */
export function* scanSessions(
  sessions: readonly FoundSession[],
  request: SearchRequest,
  matcher: TextMatcher,
  problems: FileProblem[],
  mask?: Mask,
): Generator<SearchHit> {
  for (const found of sessions.toSorted((a, b) => b.mtimeMs - a.mtimeMs)) {
    if (found.size === 0 || (request.sessionId !== undefined && found.id !== request.sessionId)) continue;
    yield* searchSession(found, request, matcher, problems, mask);
  }
}

function* searchSession(
  found: FoundSession,
  request: SearchRequest,
  matcher: TextMatcher,
  problems: FileProblem[],
  mask: Mask | undefined,
): Generator<SearchHit> {
  const isWanted = textFilter(request, matcher);
  const path = found.open();
  const load = once(() => loadFound(found, request.knowledge));
  if (!isOfSession(request, load, path, problems)) return;
  const agents = findSubagentFiles(path, found.sharedSubagents()).subagents;
  for (const { file, agentId } of [
    { file: path, agentId: null },
    ...agents.map((agent) => ({ file: agent.path, agentId: agent.agentId })),
  ]) {
    const texts = skipUnreadable(file, problems, () => scanFileTexts(file, isWanted)) ?? [];
    for (const text of texts) yield toHit(text, { file, agentId }, load(), matcher, mask);
  }
  const title = { kind: "title" as const, text: load().header.title };
  if (isWanted({ ...title, time: Number.NaN })) {
    yield toHit(
      { ...title, line: 0, offset: -1, timestamp: null },
      { file: path, agentId: null },
      load(),
      matcher,
      mask,
    );
  }
}

/** Whether a text itself is of the kind, the time and the tool that is asked for, and matches. */
export function textFilter(
  request: SearchRequest,
  matcher: TextMatcher,
): (text: SearchText & { readonly time: number }) => boolean {
  const kinds = new Set(kindsOf(request));
  const { since, until, tool, errors } = request.filter;
  return (text) =>
    kinds.has(text.kind) &&
    (since === undefined || text.time >= since) &&
    (until === undefined || text.time <= until) &&
    (tool === undefined || text.tool?.toLowerCase() === tool.toLowerCase()) &&
    (!errors || text.isError === true) &&
    matcher.matches(text.text);
}

/** The filters that are about a session as a whole. */
export function sessionFilter({ filter: { project, model, gitBranch, tags, favourites, source } }: SearchRequest) {
  return {
    ...(tags === undefined ? {} : { tags }),
    ...(favourites === undefined ? {} : { favourites }),
    ...(source === undefined ? {} : { source }),
    ...(project === undefined ? {} : { project }),
    ...(model === undefined ? {} : { model }),
    ...(gitBranch === undefined ? {} : { gitBranch }),
  };
}

function isOfSession(
  request: SearchRequest,
  load: () => LoadedSession,
  path: string,
  problems: FileProblem[],
): boolean {
  const filter = sessionFilter(request);
  if (Object.keys(filter).length === 0) return true;
  const summary = skipUnreadable(path, problems, () => summarizeSession(load(), 0));
  return summary !== undefined && matchesFilter(summary, filter);
}

function toHit(
  text: PlacedText,
  { file, agentId }: { readonly file: string; readonly agentId: string | null },
  { header, outline }: LoadedSession,
  matcher: TextMatcher,
  mask: Mask | undefined,
): SearchHit {
  const { text: snippet, marks } = hitSnippet(text.text, matcher, mask);
  const line = agentId === null ? text.line : launchLine(agentId, outline);
  const turn = line === undefined ? null : turnOfLine(encodeTurnLines(outline.turns), line);
  const prompt = outline.turns[(turn ?? 0) - 1]?.start.text;
  return {
    sessionId: header.id,
    path: agentId === null ? header.path : file,
    project: header.project,
    title: header.title,
    turn,
    line: text.line,
    kind: text.kind,
    tool: text.tool ?? null,
    toolUseId: text.toolUseId ?? null,
    timestamp: text.timestamp,
    snippet,
    prompt: prompt === undefined ? null : promptLine(prompt, mask),
    agentId,
    marks,
  };
}

/** What a sub-agent said belongs to the turn that launched it. */
function launchLine(agentId: string, { tasks, active }: LoadedSession["outline"]): number | undefined {
  const call = tasks.get(agentId);
  return call === undefined ? undefined : active.find(({ calls }) => calls?.some(({ id }) => id === call))?.line;
}
