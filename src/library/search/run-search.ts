import type { FileProblem } from "../../format/layout/folder-listing.js";
import { listFromIndex } from "../catalog/list-catalog.js";
import type { Index } from "../catalog/open-index.js";
import type { SessionFilter } from "../load/session-summary.js";
import { hasOnlyFilesBelow, isBelow } from "../sources/below-roots.js";
import type { ScannedText } from "../text-index/file-texts.js";
import {
  type DocFilter,
  type FoundDoc,
  findDocs,
  findLiteralCandidates,
  findTitles,
  rankDocs,
} from "../text-index/find-docs.js";
import { parseQuery } from "../text-index/parse-query.js";
import { HitReader } from "./read-hits.js";
import type { SearchHit } from "./search-hit.js";
import {
  createMatcher,
  effectiveMode,
  kindsOf,
  type SearchRequest,
  sessionFilter,
  type TextMatcher,
} from "./search-request.js";
import type { Mask } from "./snippet.js";

/** Searches all sessions of the roots through the index, or by reading all files where the index cannot answer. */
export async function searchLibrary(
  index: Index | undefined,
  roots: readonly string[],
  request: SearchRequest,
  problems: FileProblem[] = [],
  options: SearchOptions = {},
): Promise<SearchAnswer> {
  const answer = index && searchIndexed(index, roots, request, problems, options);
  if (answer) return answer;
  const { searchByScan } = await import("./scan-search.js");
  const shelf = new HitShelf(request, options);
  const isCopy = createCopyTest();
  const isLeftOut = (text: ScannedText, path: string, sessionId: string) => {
    const { kind, timestamp, toolUseId = null, digest } = text;
    if (!options.includeCopies && isCopy({ path, kind, timestamp, toolUseId, text: digest })) return true;
    return shelf.leavesOut(sessionId);
  };
  const isOver = () => shelf.isOver;
  const hits = searchByScan(roots, request, createMatcher(request), problems, {
    mask: options.mask,
    isLeftOut,
    isOver,
  });
  return shelf.fill(hits);
}

interface SearchAnswer {
  readonly hits: readonly SearchHit[];
  /** More texts match than are returned. */
  readonly truncated: boolean;
}

interface SearchOptions {
  readonly now?: number; // ms since the epoch
  /** Maximum number of hits per session. */
  readonly perSession?: number;
  readonly mask?: Mask;
  /** Include what forks and resumed sessions repeat. */
  readonly includeCopies?: boolean;
}

/** Only the newest matches are ranked. */
const RANKED = 2000;
const DEFAULT_LIMIT = 20;

/** Searches through the index; opens files only for the hits it returns. Undefined where the index cannot answer. */
export function searchIndexed(
  index: Index,
  roots: readonly string[],
  request: SearchRequest,
  problems: FileProblem[],
  options: SearchOptions = {},
): SearchAnswer | undefined {
  const matcher = createMatcher(request);
  const docs = findCandidates(index, roots, request, matcher);
  if (!docs) return undefined;
  const reader = new HitReader(index.db, matcher, problems, request.userData, options.mask);
  const ranked = rankDocs(docs, options.now ?? Date.now()).map(({ id }) => id);
  return new HitShelf(request, options).fill(reader.read(ranked));
}

/** Undefined where the index cannot narrow the search. */
function findCandidates(
  { db }: Index,
  roots: readonly string[],
  request: SearchRequest,
  matcher: TextMatcher,
): FoundDoc[] | undefined {
  const filter = docFilter({ db }, roots, request);
  const found = findTexts(db, request, filter);
  const titled = [...(request.userData?.marks ?? [])].filter(
    ([, { title }]) => title !== null && matcher.matches(title),
  );
  const titles =
    titled.length === 0
      ? []
      : findTitles(
          db,
          titled.map(([id]) => id),
          filter,
        );
  return found && [...new Map([...found, ...titles].map((doc) => [doc.id, doc])).values()];
}

function findTexts(db: Index["db"], request: SearchRequest, filter: DocFilter): FoundDoc[] | undefined {
  const { limit = DEFAULT_LIMIT } = request.filter;
  switch (effectiveMode(request)) {
    case "words":
      return findDocs(db, parseQuery(request.text), filter, Math.max(RANKED, limit) + 1);
    case "literal":
      return findLiteralCandidates(db, request.text, filter);
    case "regex":
      return undefined;
  }
}

function docFilter({ db }: Pick<Index, "db">, roots: readonly string[], request: SearchRequest): DocFilter {
  const { since, until, tool, errors } = request.filter;
  return {
    kinds: kindsOf(request),
    ...scopeOf(db, roots, request),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
    ...(tool === undefined ? {} : { tool }),
    ...(errors === undefined ? {} : { errors }),
  };
}

interface FileName {
  readonly id: number;
  readonly path: string;
  readonly owner: string | null;
  readonly session_id: string;
}

/** Reads the list of files only for filters on sessions. */
function scopeOf(
  db: Index["db"],
  roots: readonly string[],
  request: SearchRequest,
): Pick<DocFilter, "files" | "roots"> {
  const { sessionId } = request;
  const sessions = sessionFilter(request);
  if (Object.keys(sessions).length > 0) return { files: filesOfSessions(db, roots, request, sessions) };
  if (sessionId !== undefined) return { files: filesOfSession(db, roots, sessionId) };
  return hasOnlyFilesBelow(db, roots) ? {} : { roots };
}

function filesOfSessions(
  db: Index["db"],
  roots: readonly string[],
  { userData, sessionId }: SearchRequest,
  filter: SessionFilter,
): number[] {
  const paths = new Set(listFromIndex(db, roots, userData, filter).sessions.map(({ path }) => path));
  const files = db.prepare<FileName>("SELECT id, path, owner, session_id FROM files").all();
  return files
    .filter(({ path, owner }) => isBelow(path, roots) && paths.has(owner ?? path))
    .filter(({ session_id }) => sessionId === undefined || session_id === sessionId)
    .map(({ id }) => id);
}

function filesOfSession(db: Index["db"], roots: readonly string[], sessionId: string): number[] {
  const files = db.prepare<Pick<FileName, "id" | "path">>("SELECT id, path FROM files WHERE session_id = ?");
  return files
    .all(sessionId)
    .filter(({ path }) => isBelow(path, roots))
    .map(({ id }) => id);
}

/** Takes up to `limit` hits and `perSession` of each session, one of each set of copies. */
class HitShelf {
  readonly #limit: number;
  readonly #perSession: number;
  readonly #isCopy: (hit: SearchHit) => boolean;
  readonly #taken: SearchHit[] = [];
  readonly #perId = new Map<string, number>();
  #truncated = false;

  constructor(
    { filter: { limit = DEFAULT_LIMIT } }: SearchRequest,
    { perSession = Number.POSITIVE_INFINITY, includeCopies = false }: SearchOptions,
  ) {
    const isCopy = createCopyTest();
    this.#limit = limit;
    this.#perSession = perSession;
    this.#isCopy = (hit) => !includeCopies && isCopy({ ...hit, text: hit.snippet });
  }

  /** One more than all that are wanted was found. */
  get isOver(): boolean {
    return this.#truncated && this.#taken.length === this.#limit;
  }

  fill(hits: Iterable<SearchHit>): SearchAnswer {
    for (const hit of hits) {
      if (this.#isCopy(hit) || this.leavesOut(hit.sessionId)) {
        if (this.isOver) break;
        continue;
      }
      this.#taken.push(hit);
      this.#perId.set(hit.sessionId, (this.#perId.get(hit.sessionId) ?? 0) + 1);
    }
    return { hits: this.#taken, truncated: this.#truncated };
  }

  /** Whether one more of a session is too many, which is noted. */
  leavesOut(sessionId: string): boolean {
    const isFull = this.#taken.length === this.#limit || this.#perId.get(sessionId) === this.#perSession;
    this.#truncated ||= isFull;
    return isFull;
  }
}

type CopiedText = Pick<SearchHit, "path" | "kind" | "timestamp" | "toolUseId"> & { readonly text: string };

/** Forks and resumed sessions repeat records: the same text of the same kind with the same timestamp. */
function createCopyTest(): (text: CopiedText) => boolean {
  const firstPaths = new Map<string, string>();
  return ({ path, kind, timestamp, toolUseId, text }) => {
    if (timestamp === null) return false;
    const key = JSON.stringify([kind, timestamp, toolUseId, text]);
    const first = firstPaths.get(key) ?? path;
    firstPaths.set(key, first);
    return first !== path;
  };
}
