import type { FileProblem } from "../../format/layout/folder-listing.js";
import { once } from "../../lazy.js";
import type { SearchText } from "../../session/search-texts.js";
import { encodeTurnLines, turnOfLine } from "../catalog/turn-lines.js";
import type { Archive } from "../found-session.js";
import { type LoadedSession, loadSession } from "../load/load-session.js";
import { matchesFilter, summarizeSession } from "../load/session-summary.js";
import { skipUnreadable } from "../skip-unreadable.js";
import { expandRoots } from "../sources/find-sessions.js";
import { type LibraryFile, ownerOf, walkLibrary } from "../sources/walk-library.js";
import { type PlacedText, scanFileTexts } from "../text-index/file-texts.js";
import type { SearchHit } from "./search-hit.js";
import { kindsOf, literalMatcher, type SearchRequest, sessionFilter, type TextMatcher } from "./search-request.js";
import { hitSnippet, type Mask, promptLine } from "./snippet.js";

/** Reads all sessions below the folders and yields every text that contains the query, ignoring case. */
export function* search(
  folders: string | readonly string[],
  query: string,
  problems: FileProblem[] = [],
): Generator<SearchHit> {
  if (query === "") return;
  const roots = expandRoots(folders);
  const request = { text: query, mode: "literal" as const, filter: {} };
  yield* searchByScan(roots, request, literalMatcher(query.toLowerCase()), problems);
}

/** Reads all sessions below the roots that pass the filters and yields every matching text, most recently written session first. */
export function* searchByScan(
  roots: readonly string[],
  request: SearchRequest,
  matcher: TextMatcher,
  problems: FileProblem[],
  mask?: Mask,
): Generator<SearchHit> {
  for (const session of findSearched(roots, request.userData?.archive, problems)) {
    if (request.sessionId !== undefined && session.id !== request.sessionId) continue;
    yield* new SessionScan(session, request, matcher, problems, mask).hits();
  }
}

/** A session with its sub-agents; the transcript itself may be missing. */
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

/** The search of one session; it is loaded only when a text matches or a filter needs it. */
class SessionScan {
  readonly #load = once(() => this.#loadTranscript());
  readonly #turnLines = once(() => encodeTurnLines(this.#load()?.outline.turns ?? []));

  constructor(
    private readonly session: SearchedSession,
    private readonly request: SearchRequest,
    private readonly matcher: TextMatcher,
    private readonly problems: FileProblem[],
    private readonly mask: Mask | undefined,
  ) {}

  *hits(): Generator<SearchHit> {
    if (!this.#passesSessionFilter()) return;
    const isWanted = textFilter(this.request, this.matcher);
    for (const { path, agent, open } of this.session.files) {
      const texts = skipUnreadable(path, this.problems, () => scanFileTexts(open(), isWanted)) ?? [];
      for (const text of texts) yield this.#toHit(text, path, agent?.agentId ?? null);
    }
    const title = kindsOf(this.request).includes("title") ? this.#load()?.header.title : undefined;
    if (title === undefined || !isWanted({ kind: "title", text: title, time: Number.NaN })) return;
    const text = { kind: "title" as const, text: title, line: 0, offset: -1, timestamp: null };
    yield this.#toHit(text, this.session.path, null);
  }

  #loadTranscript(): LoadedSession | undefined {
    const { path, files } = this.session;
    const transcript = files.find((file) => file.path === path);
    if (!transcript) return undefined;
    return skipUnreadable(path, this.problems, () => loadSession(transcript.open(), this.request.userData));
  }

  #passesSessionFilter(): boolean {
    const filter = sessionFilter(this.request);
    if (Object.keys(filter).length === 0) return true;
    const loaded = this.#load();
    return loaded !== undefined && matchesFilter(summarizeSession(loaded, 0), filter);
  }

  #toHit(text: PlacedText, path: string, agentId: string | null): SearchHit {
    const loaded = this.#load();
    const { text: snippet, marks } = hitSnippet(text.text, this.matcher, this.mask);
    const line = agentId === null ? text.line : this.#launchLine(agentId);
    const turn = line === undefined ? null : turnOfLine(this.#turnLines(), line);
    const prompt = loaded?.outline.turns[(turn ?? 0) - 1]?.start.text;
    return {
      sessionId: this.session.id,
      path,
      project: loaded?.header.project ?? null,
      title: loaded?.header.title ?? this.session.id,
      turn,
      line: text.line,
      kind: text.kind,
      tool: text.tool ?? null,
      toolUseId: text.toolUseId ?? null,
      timestamp: text.timestamp,
      snippet,
      prompt: prompt === undefined ? null : promptLine(prompt, this.mask),
      agentId,
      marks,
    };
  }

  /** Texts of a sub-agent belong to the turn that launched it. */
  #launchLine(agentId: string): number | undefined {
    const outline = this.#load()?.outline;
    const call = outline?.tasks.get(agentId);
    if (call === undefined) return undefined;
    return outline?.active.find(({ calls }) => calls?.some(({ id }) => id === call))?.line;
  }
}

/** Tests kind, time and tool of a text, then its words. */
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
