import type { FileProblem } from "../../format/layout/folder-listing.js";
import { workflowRunOf } from "../../format/layout/session-paths.js";
import { once } from "../../lazy.js";
import type { SearchText } from "../../session/search-texts.js";
import { createTurnLookup } from "../catalog/turn-lines.js";
import type { Archive } from "../found-session.js";
import { type LoadedSession, loadSession } from "../load/load-session.js";
import { matchesFilter, summarizeSession } from "../load/session-summary.js";
import { skipUnreadable } from "../skip-unreadable.js";
import { expandRoots } from "../sources/find-sessions.js";
import { type LibraryFile, ownerOf, walkLibrary } from "../sources/walk-library.js";
import { type ScannedText, scanFileTexts } from "../text-index/file-texts.js";
import { readText } from "./read-hits.js";
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

interface ScanOptions {
  readonly mask?: Mask | undefined;
  /** Asked before each hit is made: a text that nobody will see need not be read again, cut and masked. */
  readonly isLeftOut?: (text: ScannedText, path: string, sessionId: string) => boolean;
  /** Whether no more hits are wanted. */
  readonly isOver?: () => boolean;
}

/** Reads all sessions below the roots that pass the filters and yields every matching text, most recently written session first. */
export function* searchByScan(
  roots: readonly string[],
  request: SearchRequest,
  matcher: TextMatcher,
  problems: FileProblem[],
  options: ScanOptions = {},
): Generator<SearchHit> {
  for (const session of findSearched(roots, request.userData?.archive, problems)) {
    if (request.sessionId !== undefined && session.id !== request.sessionId) continue;
    if (options.isOver?.()) return;
    yield* new SessionScan(session, request, matcher, problems, options).hits();
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
  readonly #turnOf = once(() => createTurnLookup(this.#load()?.outline.turns ?? []));
  readonly #launchLines = once(() => findLaunchLines(this.#load()?.outline));
  readonly #prompts = new Map<number, string>();

  constructor(
    private readonly session: SearchedSession,
    private readonly request: SearchRequest,
    private readonly matcher: TextMatcher,
    private readonly problems: FileProblem[],
    private readonly options: ScanOptions,
  ) {}

  *hits(): Generator<SearchHit> {
    if (!this.#passesSessionFilter()) return;
    const isWanted = textFilter(this.request, this.matcher);
    for (const { path, agent, open } of this.session.files) {
      const found = skipUnreadable(path, this.problems, () => scanFileTexts(open(), isWanted)) ?? [];
      for (const place of found) {
        if (this.options.isOver?.()) return;
        if (this.options.isLeftOut?.(place, path, this.session.id)) continue;
        const text = readText(open(), place, this.problems)?.text;
        if (text !== undefined) yield this.#toHit(text, place, path, agent?.agentId ?? null);
      }
    }
    const title = kindsOf(this.request).includes("title") ? this.#load()?.header.title : undefined;
    if (title === undefined || !isWanted({ kind: "title", text: title, time: Number.NaN })) return;
    yield this.#toHit(title, { kind: "title", line: 0, timestamp: null }, this.session.path, null);
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

  /** Agents of a workflow are launched together, as a run. */
  #launchLine(agentId: string, path: string): number | undefined {
    const lines = this.#launchLines();
    return lines.get(agentId) ?? lines.get(workflowRunOf(path) ?? "");
  }

  #toHit(
    text: string,
    place: Pick<ScannedText, "kind" | "tool" | "toolUseId" | "line" | "timestamp">,
    path: string,
    agentId: string | null,
  ): SearchHit {
    const loaded = this.#load();
    const { text: snippet, marks } = hitSnippet(text, this.matcher, this.options.mask);
    // Texts of a sub-agent belong to the turn that launched it.
    const line = agentId === null ? place.line : this.#launchLine(agentId, path);
    const turn = line === undefined ? null : this.#turnOf()(line);
    return {
      sessionId: this.session.id,
      path,
      project: loaded?.header.project ?? null,
      title: loaded?.header.title ?? this.session.id,
      turn,
      line: place.line,
      kind: place.kind,
      tool: place.tool ?? null,
      toolUseId: place.toolUseId ?? null,
      timestamp: place.timestamp,
      snippet,
      prompt: turn === null ? null : this.#promptOf(turn),
      agentId,
      marks,
    };
  }

  #promptOf(turn: number): string | null {
    const prompt = this.#load()?.outline.turns[turn - 1]?.start.text;
    if (prompt === undefined) return null;
    const line = this.#prompts.get(turn) ?? promptLine(prompt, this.options.mask);
    this.#prompts.set(turn, line);
    return line;
  }
}

/** The lines of the calls that launched sub-agents, by the ids of the sub-agents. */
function findLaunchLines(outline: LoadedSession["outline"] | undefined): Map<string, number> {
  const lines = new Map<string, number>();
  for (const { calls, line } of outline?.active ?? [])
    for (const { id } of calls ?? []) if (!lines.has(id)) lines.set(id, line);
  return new Map(
    [...(outline?.tasks ?? [])].flatMap(([agentId, call]) => {
      const line = lines.get(call);
      return line === undefined ? [] : [[agentId, line] as const];
    }),
  );
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
