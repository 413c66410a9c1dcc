import type { FileProblem } from "../../format/layout/folder-listing.js";
import { expandHome } from "../../format/layout/path-forms.js";
import { once } from "../../lazy.js";
import type { SearchText } from "../../session/search-texts.js";
import { encodeTurnLines, turnOfLine } from "../catalog/turn-lines.js";
import type { Archive } from "../found-session.js";
import { type LoadedSession, loadSession } from "../load/load-session.js";
import { matchesFilter, summarizeSession } from "../load/session-summary.js";
import { skipUnreadable } from "../skip-unreadable.js";
import { type LibraryFile, ownerOf, walkLibrary } from "../sources/walk-library.js";
import { type PlacedText, scanFileTexts } from "../text-index/file-texts.js";
import type { SearchHit } from "./search-hit.js";
import { kindsOf, literalMatcher, type SearchRequest, sessionFilter, type TextMatcher } from "./search-request.js";
import { hitSnippet, type Mask, promptLine } from "./snippet.js";

/** Reads all sessions below the folders and yields every text that contains the query, whatever its case. */
export function* search(
  folders: string | readonly string[],
  query: string,
  problems: FileProblem[] = [],
): Generator<SearchHit> {
  if (query === "") return;
  const home = process.env["HOME"] ?? process.env["USERPROFILE"] ?? "";
  const roots = [folders].flat().map((folder) => expandHome(folder, home));
  const request = { text: query, mode: "literal" as const, filter: {} };
  yield* searchByScan(roots, request, literalMatcher(query.toLowerCase()), problems);
}

/** Reads all sessions below the roots that pass the filters and yields every text that matches, the sessions written to last first. */
export function* searchByScan(
  roots: readonly string[],
  request: SearchRequest,
  matcher: TextMatcher,
  problems: FileProblem[],
  mask?: Mask,
): Generator<SearchHit> {
  for (const session of findSearched(roots, request.userData?.archive, problems)) {
    if (request.sessionId !== undefined && session.id !== request.sessionId) continue;
    yield* searchSession(session, request, matcher, problems, mask);
  }
}

/** A session and its sub-agents; of some only sub-agents are left. */
interface SearchedSession {
  readonly id: string;
  readonly path: string;
  readonly files: LibraryFile[];
}

function findSearched(
  roots: readonly string[],
  archive: Archive | undefined,
  problems: FileProblem[],
): SearchedSession[] {
  const walk = walkLibrary(roots, archive);
  problems.push(...walk.problems);
  const sessions = new Map<string, SearchedSession>();
  for (const file of walk.files) {
    const { sessionId: id, path } = ownerOf(file, problems);
    const session = sessions.get(path ?? file.path) ?? { id, path: path ?? file.path, files: [] };
    session.files.push(file);
    sessions.set(session.path, session);
  }
  return [...sessions.values()].sort((a, b) => lastWrite(b) - lastWrite(a));
}

function lastWrite({ files }: SearchedSession): number {
  return Math.max(...files.map(({ mtimeMs }) => mtimeMs));
}

function* searchSession(
  session: SearchedSession,
  request: SearchRequest,
  matcher: TextMatcher,
  problems: FileProblem[],
  mask: Mask | undefined,
): Generator<SearchHit> {
  const { path, files } = session;
  const isWanted = textFilter(request, matcher);
  const transcript = files.find((file) => file.path === path);
  const load = once(
    () => transcript && skipUnreadable(path, problems, () => loadSession(transcript.open(), request.userData)),
  );
  if (!isOfSession(request, load)) return;
  for (const { path: file, agent, open } of files) {
    const agentId = agent?.agentId ?? null;
    const texts = skipUnreadable(file, problems, () => scanFileTexts(open(), isWanted)) ?? [];
    for (const text of texts) yield toHit(text, { session, file, agentId, loaded: load() }, matcher, mask);
  }
  const title = kindsOf(request).includes("title") ? load()?.header.title : undefined;
  if (title === undefined || !isWanted({ kind: "title", text: title, time: Number.NaN })) return;
  const text = { kind: "title" as const, text: title, line: 0, offset: -1, timestamp: null };
  yield toHit(text, { session, file: path, agentId: null, loaded: load() }, matcher, mask);
}

/** Whether a text itself is of the kind, the time and the tool that is asked for, and matches. */
function textFilter(
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

function isOfSession(request: SearchRequest, load: () => LoadedSession | undefined): boolean {
  const filter = sessionFilter(request);
  if (Object.keys(filter).length === 0) return true;
  const loaded = load();
  return loaded !== undefined && matchesFilter(summarizeSession(loaded, 0), filter);
}

interface HitPlace {
  readonly session: SearchedSession;
  readonly file: string;
  readonly agentId: string | null;
  readonly loaded: LoadedSession | undefined;
}

function toHit(
  text: PlacedText,
  { session, file, agentId, loaded }: HitPlace,
  matcher: TextMatcher,
  mask: Mask | undefined,
): SearchHit {
  const { text: snippet, marks } = hitSnippet(text.text, matcher, mask);
  const turns = loaded?.outline.turns ?? [];
  const line = agentId === null ? text.line : launchLine(agentId, loaded?.outline);
  const turn = line === undefined ? null : turnOfLine(encodeTurnLines(turns), line);
  const prompt = turns[(turn ?? 0) - 1]?.start.text;
  return {
    sessionId: session.id,
    path: file,
    project: loaded?.header.project ?? null,
    title: loaded?.header.title ?? session.id,
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
function launchLine(agentId: string, outline: LoadedSession["outline"] | undefined): number | undefined {
  const call = outline?.tasks.get(agentId);
  if (call === undefined) return undefined;
  return outline?.active.find(({ calls }) => calls?.some(({ id }) => id === call))?.line;
}
