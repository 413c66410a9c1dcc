import { type FilterOptions, parseCount, toFilter } from "../../app/filter-options.js";
import { loadOptions } from "../../app/load-options.js";
import { maskNames } from "../../app/mask-names.js";
import { type RootOptions, sessionRoots } from "../../app/session-roots.js";
import { warnAboutSkipped } from "../../app/skipped-files.js";
import { UserError } from "../../errors.js";
import type { FileProblem } from "../../format/layout/folder-listing.js";
import { NO_CHANGES } from "../../library/catalog/library-changes.js";
import type { UserData } from "../../library/found-session.js";
import { searchLibrary } from "../../library/search/run-search.js";
import { SEARCH_PLACES, type SearchAnswer, type SearchHit } from "../../library/search/search-hit.js";
import { effectiveMode, type SearchRequest } from "../../library/search/search-request.js";
import { formatCount, formatDuration } from "../../render/format-values.js";
import { paintSearchResults } from "../../render/terminal/lists/search-results.js";
import { createStyle } from "../../render/terminal/style.js";
import type { TextKind } from "../../session/search-texts.js";
import type { Io } from "../io.js";
import { MAX_INDEX_AGE_MS, withIndex } from "../library-index.js";
import type { IndexOptions } from "../options/filter-options.js";
import { isColoured } from "../terminal/is-coloured.js";
import { printedJson } from "../terminal/printed-json.js";

export interface SearchCommandOptions extends FilterOptions, RootOptions, IndexOptions {
  readonly in?: string;
  readonly session?: string;
  readonly regex?: boolean;
  readonly literal?: boolean;
  readonly case?: boolean;
  readonly hits?: string;
  readonly offset?: string;
  readonly json?: boolean;
  readonly reveal?: boolean;
}

const JSON_SESSIONS = 100;
const SHOWN_PER_SESSION = 3;
const JSON_PER_SESSION = 20;
/** For what is not in the index yet, where the answer should come soon. */
const READING_MS = 1000;

export async function writeHits(text: string, options: SearchCommandOptions, io: Io): Promise<void> {
  const started = performance.now();
  const roots = await sessionRoots(io, options);
  const request = await toRequest(text, options, roots, await loadOptions(io), io);
  const offset = options.offset === undefined ? 0 : parseCount(options.offset, "--offset", 0);
  const problems: FileProblem[] = [];
  const redactor = options.reveal ? undefined : await (await import("../../app/redaction.js")).maskingRedactor(io);
  const how = { ...options, maxAgeMs: MAX_INDEX_AGE_MS, texts: "due" as const, answersWithout: true };
  const answer = await withIndex(io, roots, how, (index, sync, behind, isHurried) => {
    problems.push(...(sync?.problems ?? []));
    return searchLibrary(index, roots, request, problems, {
      ...(redactor ? { mask: (found: string) => redactor.text(found, "snippet") } : {}),
      // Without a sync the search looks itself: another process may be changing the index right now.
      ...(sync ? { changes: NO_CHANGES } : behind ? { changes: behind } : {}),
      perSession: perSession(options),
      offset,
      budgetMs: isHurried ? READING_MS : undefined,
    });
  });
  warnAboutSkipped(problems, io);
  const masked = redactor ? withoutSecrets(answer, (row) => maskNames(row, redactor)) : answer;
  if (options.json) {
    await io.stdout(printedJson(toJson(masked), io));
    return;
  }
  if (masked.hits.length > 0) {
    const layout = { columns: io.columns, style: createStyle(isColoured(io)) };
    const skipped = options.session === undefined ? 0 : offset;
    await io.stdout(paintSearchResults(masked.sessions, { ...layout, skipped }));
  }
  const took = formatDuration(performance.now() - started);
  io.stderr(`${describeAnswer(masked, offset, options.session !== undefined)} (${took})\n`);
  if (masked.totalSessions === 0 && request.mode === "words" && effectiveMode(request) === "literal")
    io.stderr("the query has no word and was searched as it is, sign by sign; add a word to find texts about it\n");
}

function perSession({ hits, session, json }: SearchCommandOptions): number {
  if (hits !== undefined) return parseCount(hits, "--hits");
  if (session !== undefined) return Number.POSITIVE_INFINITY;
  return json ? JSON_PER_SESSION : SHOWN_PER_SESSION;
}

/** Snippets and prompts are masked already. */
function withoutSecrets(answer: SearchAnswer, mask: <Row extends object>(row: Row) => Row): SearchAnswer {
  const sessions = answer.sessions.map(({ hits, ...session }) => ({ ...mask(session), hits: hits.map(maskHit) }));
  return { ...answer, sessions, hits: sessions.flatMap(({ hits }) => hits) };

  /** A snippet stays as it is, because its marks are places in it. */
  function maskHit(hit: SearchHit): SearchHit {
    return { ...mask(hit), snippet: hit.snippet };
  }
}

function toJson({ sessions, hits, totalSessions, totalHits, exact, truncated }: SearchAnswer) {
  return {
    hits: hits.map(({ marks: _marks, ...hit }) => hit),
    truncated,
    sessions: sessions.map(({ hits: own, ...session }) => ({ ...session, shownHits: own.length })),
    totalSessions,
    totalHits,
    exact,
  };
}

const UNREAD = "the newest sessions were read first, others may come between these (--wait waits for all)";

/** `26 hits in 4 sessions`, and how to see those that are not shown. */
function describeAnswer(answer: SearchAnswer, offset: number, isOne: boolean): string {
  const { sessions, hits, totalSessions, totalHits, exact } = answer;
  const found = `${formatCount(totalHits, "hit")} in ${formatCount(totalSessions, "session")}`;
  const all = exact ? found : `at least ${found}; ${UNREAD}`;
  if (totalSessions === 0) return exact ? "nothing found" : `nothing found so far; ${UNREAD}`;
  if (hits.length === 0) return `${all}; none from --offset ${offset} on`;
  const shown = isOne ? hits.length : sessions.length;
  const total = isOne ? totalHits : totalSessions;
  if (offset === 0 && shown === total) return all;
  const range = `showing ${formatCount(shown, isOne ? "hit" : "session")} from ${offset + 1}`;
  return offset + shown < total ? `${all}; ${range}, next: --offset ${offset + shown}` : `${all}; ${range}`;
}

async function toRequest(
  text: string,
  options: SearchCommandOptions,
  roots: readonly string[],
  knowledge: UserData,
  io: Io,
): Promise<SearchRequest> {
  if (options.regex && options.literal) {
    throw new UserError("usage", "--regex and --literal cannot be combined", "remove one of them");
  }
  const filter = toFilter(options);
  if (
    text.trim() === "" &&
    Object.keys(filter).length === 0 &&
    options.session === undefined &&
    options.in === undefined
  ) {
    throw new UserError("usage", "no query given", "for example `turnlog search 'flaky test'`");
  }
  const mode = options.regex ? "regex" : options.literal || options.case ? "literal" : "words";
  if (mode === "words" && ONLY_SIGNS.test(text)) {
    const hint = "add a word, or --literal to search for these characters themselves";
    throw new UserError("usage", `the query has no word: ${text.trim()}`, hint);
  }
  const isLimited = options.json && options.session === undefined;
  return {
    text,
    mode,
    matchesCase: options.case ?? false,
    filter: isLimited ? { limit: JSON_SESSIONS, ...filter } : filter,
    userData: knowledge,
    ...(options.in === undefined ? {} : { kinds: toKinds(options.in) }),
    ...(options.session === undefined ? {} : await nameOf(options.session, roots, knowledge, io)),
  };
}

/** Nothing but the signs of phrases, prefixes and exclusions. */
const ONLY_SIGNS = /^\s*["*-][\s"*-]*$/;

async function nameOf(name: string, roots: readonly string[], knowledge: UserData, io: Io) {
  const { chooseSession } = await import("../../app/choose-session.js");
  const { id, path } = chooseSession(name, roots, io, knowledge);
  return { sessionId: id, sessionPath: path };
}

function toKinds(places: string): TextKind[] {
  return places.split(",").flatMap((place) => {
    const name = place.trim().toLowerCase();
    const kinds = Object.hasOwn(SEARCH_PLACES, name) ? SEARCH_PLACES[name] : undefined;
    if (kinds) return kinds;
    throw new UserError(
      "usage",
      `unknown place in --in: "${place}"`,
      `the places are ${Object.keys(SEARCH_PLACES).join(", ")}`,
    );
  });
}
