import { listAt } from "../../collections.js";
import type { FileProblem } from "../../format/layout/folder-listing.js";
import type { SearchText } from "../../session/search-texts.js";
import type { Database } from "../../store/sqlite.js";
import { findChanges, type LibraryChanges } from "../catalog/library-changes.js";
import { listFromIndex } from "../catalog/list-catalog.js";
import type { Index } from "../catalog/open-index.js";
import { skipUnreadable } from "../skip-unreadable.js";
import { type ScannedText, scanFileTexts } from "../text-index/file-texts.js";
import {
  type DocIds,
  earlierCalls,
  findDocs,
  findTitled,
  NO_DOCS,
  readTimes,
  replacedIn,
} from "../text-index/find-docs.js";
import { parseQuery } from "../text-index/parse-query.js";
import { HitReader } from "./read-hits.js";
import type { FoundInSession, SearchAnswer, SearchHit } from "./search-hit.js";
import {
  createMatcher,
  effectiveMode,
  kindsOf,
  type SearchRequest,
  sessionFilter,
  type TextMatcher,
} from "./search-request.js";
import {
  type FoundFile,
  type IndexedFile,
  type SearchedFile,
  SearchedFiles,
  type SearchedSession,
} from "./searched-files.js";
import { FactsReader } from "./session-facts.js";
import { rankSessions, SessionTally } from "./session-tally.js";
import type { Mask } from "./snippet.js";

export interface SearchOptions {
  /** Maximum number of hits per session; default: all. */
  readonly perSession?: number;
  /** Sessions to skip, or hits of the one session that is searched. */
  readonly offset?: number;
  readonly mask?: Mask;
  /** How the files differ from the index, where the caller knows. */
  readonly changes?: LibraryChanges;
  /** Stop reading files after this time; the totals are then a lower bound. */
  readonly budgetMs?: number | undefined;
}

const DEFAULT_LIMIT = 20;

/**
 * Finds every session with a text that matches. What the index has is asked there; all else is read from the files: without an index
 * the answer is the same and takes longer.
 */
export async function searchLibrary(
  index: Index | undefined,
  roots: readonly string[],
  request: SearchRequest,
  problems: FileProblem[] = [],
  options: SearchOptions = {},
): Promise<SearchAnswer> {
  const search = new LibrarySearch(index?.db, roots, request, await createMatcher(request), problems, options);
  return search.run();
}

/** Less is read sooner than ripgrep starts. */
const NARROWED_BYTES = 4 * 1024 * 1024;
/** So much is read whatever the time: a rare word is found in every session that has it. */
const SOON_READ_BYTES = 64 * 1024 * 1024;
/** Some of the files that may match are always read. */
const LEAST_READING_MS = 300;

class LibrarySearch {
  readonly #files: SearchedFiles;
  readonly #facts: FactsReader;
  readonly #matches = new Map<string, { readonly file: FoundFile; ids: DocIds; scanned: ScannedText[] }>();
  readonly #titled = new Map<string, SearchedSession>();
  readonly #stopAt: number;
  #isExact = true;

  constructor(
    private readonly db: Database | undefined,
    private readonly roots: readonly string[],
    private readonly request: SearchRequest,
    private readonly matcher: TextMatcher,
    private readonly problems: FileProblem[],
    private readonly options: SearchOptions,
  ) {
    const changes = options.changes ?? findChanges(db, roots, request.userData?.archive);
    problems.push(...changes.problems);
    this.#files = new SearchedFiles(db, roots, problems, request.userData?.archive, changes);
    this.#facts = new FactsReader(db, this.#files, problems, request.userData);
    this.#stopAt = performance.now() + (options.budgetMs ?? Number.POSITIVE_INFINITY);
  }

  async run(): Promise<SearchAnswer> {
    const isIndexed = this.db !== undefined && effectiveMode(this.request) === "words";
    if (this.db && isIndexed) this.#askIndex(this.db);
    if (this.db && this.#wantsTitles()) this.#askCatalog(this.db, isIndexed);
    await this.#readFiles(this.#files.toRead(isIndexed ? "unindexed" : "all"));
    return this.#answer(this.#addUp());
  }

  #askIndex(db: Database): void {
    const { since, until, tool, errors } = this.request.filter;
    const filter = { kinds: kindsOf(this.request), since, until, tool, errors };
    const found = findDocs(db, parseQuery(this.request.text), filter);
    const files = this.#files.ofIndex([...found.keys()]);
    for (const [id, file] of files) {
      if (this.#isInScope(file.session))
        this.#matches.set(file.path, { file, ids: found.get(id) ?? NO_DOCS, scanned: [] });
    }
  }

  /** A title given by the user replaces the session's own. */
  #askCatalog(db: Database, isIndexed: boolean): void {
    const { marks } = this.request.userData ?? {};
    const own = isIndexed
      ? this.#files.ofIndex(findTitled(db, parseQuery(this.request.text))).values()
      : this.#files.titled((title) => this.matcher.matches(title));
    for (const { session } of own) if (marks?.get(session.id)?.title == null) this.#addTitled(session);
    const given = [...(marks ?? [])].filter(([, { title }]) => title !== null && this.matcher.matches(title));
    for (const { session } of this.#files.ofSessions(given.map(([id]) => id))) this.#addTitled(session);
  }

  #addTitled(session: SearchedSession): void {
    if (this.#isInScope(session) && this.#files.isCatalogued(session)) this.#titled.set(session.path, session);
  }

  #isInScope({ id, path }: SearchedSession): boolean {
    const { sessionId, sessionPath } = this.request;
    return (sessionId === undefined || sessionId === id) && (sessionPath === undefined || sessionPath === path);
  }

  /** Titles have no time, no tool and no errors. */
  #wantsTitles(): boolean {
    const { since, until, tool, errors } = this.request.filter;
    const isFiltered = since !== undefined || until !== undefined || tool !== undefined || errors;
    return !isFiltered && kindsOf(this.request).includes("title");
  }

  /** Each session as a whole, so that what is found in it, and its rank beside the others, stays when more are read. */
  async #readFiles(unread: readonly SearchedFile[]): Promise<void> {
    const searched = unread.filter(({ session }) => this.#isInScope(session));
    const possible = unreadBytes(searched) < NARROWED_BYTES ? searched : await this.#narrow(searched);
    const isSoonRead = unreadBytes(possible) <= SOON_READ_BYTES;
    const stopAt = isSoonRead ? Number.POSITIVE_INFINITY : Math.max(this.#stopAt, performance.now() + LEAST_READING_MS);
    for (const files of bySession(possible)) {
      if (performance.now() > stopAt) {
        this.#isExact = false;
        return;
      }
      for (const file of files) this.#readFile(file);
    }
  }

  /** A title may be in a file of its own, in the user's data, or the id of the session. */
  async #narrow(files: readonly SearchedFile[]): Promise<readonly SearchedFile[]> {
    const paths = new Map(
      files.flatMap((file) => {
        const path = skipUnreadable(file.path, this.problems, () => file.open());
        return path === undefined ? [] : [[file, path] as const];
      }),
    );
    const { narrowFiles } = await import("./narrow-files.js"); // with all that Node needs to start a program
    const found = await narrowFiles(this.request, [...paths.values()]);
    const { marks } = this.request.userData ?? {};
    const mayBeTitled = ({ session, hasTitleFile }: SearchedFile) =>
      hasTitleFile || this.matcher.matches(session.id) || this.matcher.matches(marks?.get(session.id)?.title ?? "");
    return found ? files.filter((file) => found.has(paths.get(file) ?? "") || mayBeTitled(file)) : files;
  }

  #readFile(file: SearchedFile): void {
    const isWanted = textFilter(this.request, this.matcher);
    const { row } = file;
    const from = this.db &&
      row && { ...placeOf(row), earlier: earlierCalls(this.db, row), replaced: replacedIn(this.db, row.id) };
    const scanned = skipUnreadable(file.path, this.problems, () => scanFileTexts(file.open(), isWanted, from)) ?? [];
    const known = this.#matches.get(file.path);
    if (known) known.scanned = scanned;
    else if (scanned.length > 0) this.#matches.set(file.path, { file, ids: NO_DOCS, scanned });
    const { session } = file;
    if (file.path !== session.path || this.#files.isCatalogued(session) || !this.#wantsTitles()) return;
    const title = this.#facts.titleOf(session);
    if (this.#facts.of(session) && this.matcher.matches(title)) this.#titled.set(session.path, session);
  }

  #addUp(): SessionTally[] {
    const tallies = new Map<string, SessionTally>();
    const tallyOf = (session: SearchedSession) => {
      const tally = tallies.get(session.path) ?? new SessionTally(session);
      tallies.set(session.path, tally);
      return tally;
    };
    for (const found of this.#matches.values()) tallyOf(found.file.session).files.push(found);
    for (const session of this.#titled.values()) tallyOf(session).hasTitle = true;
    const isWanted = this.#sessionFilter();
    return [...tallies.values()].filter(({ session, count }) => count > 0 && isWanted(session));
  }

  #noteTimes(tallies: readonly SessionTally[]): void {
    const files = tallies.flatMap((tally) => tally.files.map((found) => ({ tally, found })));
    const last = files.flatMap(({ found: { ids, scanned } }) => (scanned.length === 0 ? (ids.at(-1) ?? []) : []));
    const times = this.db ? readTimes(this.db, last) : new Map<number, number>();
    for (const { tally, found } of files) {
      const { ids, scanned } = found;
      tally.note(scanned.length > 0 ? (scanned.at(-1)?.time ?? null) : (times.get(ids.at(-1) ?? -1) ?? null));
    }
    const titled = tallies.filter(({ hasTitle }) => hasTitle);
    const ends = this.#files.endsOf(titled.map(({ session }) => session.path));
    for (const tally of titled) {
      const { session } = tally;
      const isCatalogued = this.#files.isCatalogued(session);
      tally.note(isCatalogued ? (ends.get(session.path) ?? null) : (this.#facts.of(session)?.ended ?? null));
    }
  }

  #sessionFilter(): (session: SearchedSession) => boolean {
    const filter = sessionFilter(this.request);
    if (Object.keys(filter).length === 0) return () => true;
    const paths = this.db
      ? new Set(listFromIndex(this.db, this.roots, this.request.userData, filter).sessions.map(({ path }) => path))
      : undefined;
    return (session) =>
      this.#files.isCatalogued(session) ? (paths?.has(session.path) ?? false) : this.#facts.passes(session, filter);
  }

  #readHits(page: readonly SessionTally[], isOne: boolean): FoundInSession[] {
    const { offset = 0, perSession = Number.POSITIVE_INFINITY, mask } = this.options;
    const { limit = perSession } = this.request.filter;
    const reader = new HitReader(this.db, this.matcher, this.#facts, this.problems, mask);
    try {
      if (!isOne) reader.prepare(page, perSession);
      return page.map((tally) =>
        this.#toFound(tally, isOne ? reader.all(tally, offset, limit) : reader.best(tally, perSession)),
      );
    } finally {
      reader.close();
    }
  }

  #toFound({ session, count, latest }: SessionTally, hits: readonly SearchHit[]): FoundInSession {
    return {
      sessionId: session.id,
      path: session.path,
      project: this.#facts.of(session)?.project ?? null,
      title: this.#facts.titleOf(session),
      totalHits: count,
      latest: latest === null ? null : new Date(latest).toISOString(),
      hits,
    };
  }

  #answer(tallies: readonly SessionTally[]): SearchAnswer {
    const { offset = 0 } = this.options;
    const { limit } = this.request.filter;
    const isOne = this.request.sessionId !== undefined;
    const [from, to] = isOne ? [0, tallies.length] : [offset, offset + (limit ?? DEFAULT_LIMIT)];
    const page = rankSessions(tallies, (alike) => this.#noteTimes(alike), from, to);
    const sessions = this.#readHits(page, isOne);
    const found = isOne ? sessions : sessions.filter(({ hits }) => hits.length > 0);
    const totalHits = tallies.reduce((sum, { count }) => sum + count, 0);
    const hits = found.flatMap((session) => session.hits);
    return {
      sessions: found,
      hits,
      totalSessions: tallies.length - (sessions.length - found.length),
      totalHits,
      exact: this.#isExact,
      truncated: hits.length < totalHits || !this.#isExact,
    };
  }
}

/** In the order of the first file of each. */
function bySession(files: readonly SearchedFile[]): Iterable<readonly SearchedFile[]> {
  const groups = new Map<string, SearchedFile[]>();
  for (const file of files) listAt(groups, file.session.path).push(file);
  return groups.values();
}

/** What the index does not have of these files. */
function unreadBytes(files: readonly SearchedFile[]): number {
  return files.reduce((sum, { size, row }) => sum + size - (row?.textOffset ?? 0), 0);
}

function placeOf({ textOffset, textLine }: IndexedFile): { readonly offset: number; readonly line: number } {
  return { offset: textOffset, line: textLine };
}

/** Tests kind, time and tool of a text, then its words. */
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
