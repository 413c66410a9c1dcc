import { Hono } from "hono";
import { type FilterOptions, toFilter } from "../../app/filter-options.js";
import { NO_CHANGES } from "../../library/catalog/library-changes.js";
import type { Archive } from "../../library/found-session.js";
import { parseMoment } from "../../library/load/session-summary.js";
import { type SearchOptions, searchLibrary } from "../../library/search/run-search.js";
import {
  type FoundInSession,
  SEARCH_PLACES,
  type SearchAnswer,
  type SearchHit,
} from "../../library/search/search-hit.js";
import type { SearchRequest } from "../../library/search/search-request.js";
import { statLibraryFile } from "../../library/sync/plan-sync.js";
import type { Redactor } from "../../redact/create-redactor.js";
import type { SearchAnswerGroups, SearchGroup, ServedHit, TypedFilter } from "../api/search.js";
import { type QueryFields, readFilterOptions, readQuery } from "../http/read-request.js";
import { skipIfAborted } from "../http/send-answer.js";
import type { ServedLibrary } from "../library/served-library.js";

const DEFAULT_SESSIONS = 30;
/** While typing, one screen of sessions: each hit is read from its file and masked. */
const TYPING_SESSIONS = 8;
const MAX_SESSIONS = 500;
const MAX_HITS = 500;
const DEFAULT_PER_SESSION = 3;
/** For what the index does not have yet. */
const READING_MS = 1000;

export function searchRoutes(library: ServedLibrary): Hono {
  const app = new Hono();

  app.get("/search", skipIfAborted, async (c) => {
    const query = readQuery(c);
    const search = parseTypedSearch(query.text("q") ?? "", query.flag("typing"));
    const request = { ...toRequest(search, query), userData: await library.loadOptions() };
    const perSession = query.number("perSession", {
      fallback: request.sessionId === undefined ? DEFAULT_PER_SESSION : MAX_HITS,
      min: 1,
      max: MAX_HITS,
    });
    const offset = query.number("offset", { fallback: 0, min: 0, max: Number.MAX_SAFE_INTEGER });
    const isBlank = search.text === "" && search.typed.length === 0;
    const redactor = await library.masking();
    const mask = (text: string) => redactor.text(text, "snippet");
    const found = isBlank
      ? NOTHING
      : await library.withIndex((index) =>
          searchLibrary(index, library.roots, request, [], {
            mask,
            perSession,
            offset,
            budgetMs: READING_MS,
            ...(index ? changesSince(library.sync.pending, request.userData.archive) : {}),
          }),
        );
    const { totalSessions, totalHits, exact, truncated } = found;
    const answer: SearchAnswerGroups = {
      groups: found.sessions.map((session) => toGroup(session, redactor)),
      totalSessions,
      totalHits,
      exact,
      truncated,
      text: search.text,
      typed: search.typed,
      index: library.sync.state,
    };
    return c.json(answer);
  });

  return app;
}

/** What a running session has just written is found before it is in the index. */
function changesSince(
  pending: readonly string[] | undefined,
  archive: Archive | undefined,
): Pick<SearchOptions, "changes"> {
  if (!pending) return {};
  return { changes: { ...NO_CHANGES, stale: pending.flatMap((path) => statLibraryFile(path, archive) ?? []) } };
}

const NOTHING: SearchAnswer = {
  sessions: [],
  hits: [],
  totalSessions: 0,
  totalHits: 0,
  exact: true,
  truncated: false,
};

function toRequest(search: TypedSearch, query: QueryFields): SearchRequest {
  const places = [...search.places, ...query.all("in").filter((place) => Object.hasOwn(SEARCH_PLACES, place))];
  const mode = search.mode ?? query.oneOf("mode", MODES, "words");
  const isTyping = query.flag("typing") && mode === "words";
  const sessionId = query.text("session") ?? search.sessionId;
  const fallback = sessionId !== undefined ? MAX_HITS : isTyping ? TYPING_SESSIONS : DEFAULT_SESSIONS;
  const limit = query.number("limit", { fallback, min: 1, max: MAX_SESSIONS });
  return {
    text: mode === "words" && query.flag("prefix") ? withPrefix(search.text) : search.text,
    mode,
    matchesCase: search.matchesCase || query.flag("case"),
    filter: { ...toFilter({ ...readFilterOptions(query), ...search.options }), limit },
    ...(places.length === 0 ? {} : { kinds: [...new Set(places.flatMap((place) => SEARCH_PLACES[place] ?? []))] }),
    ...(sessionId === undefined ? {} : { sessionId }),
  };
}

/** The content of the search box, separated into words and filters. */
interface TypedSearch {
  readonly text: string;
  readonly mode: SearchRequest["mode"] | undefined;
  readonly matchesCase: boolean;
  readonly typed: readonly TypedFilter[];
  readonly options: FilterOptions;
  readonly places: readonly string[];
  readonly sessionId: string | undefined;
}

const MODES = ["words", "literal", "regex"] as const;

type FieldName = "project" | "tool" | "model" | "gitBranch" | "source" | "since" | "until";

/** As in `project:acme tool:Bash is:error after:7d`. */
const FIELDS: ReadonlyMap<string, FieldName> = new Map([
  ["project", "project"],
  ["tool", "tool"],
  ["model", "model"],
  ["branch", "gitBranch"],
  ["source", "source"],
  ["after", "since"],
  ["since", "since"],
  ["before", "until"],
  ["until", "until"],
]);

/** A name, a colon, and a value or a value in quotes. Anything else with a colon is just text. */
const TYPED = /(?<=^|\s)([a-z]+):("[^"]*"|[^\s"]+)(?=\s|$)/gi;

/** While typing, an incomplete time is ignored instead of refused. */
export function parseTypedSearch(box: string, isTyping = false): TypedSearch {
  const typed: TypedFilter[] = [];
  const options: { -readonly [Name in keyof FilterOptions]: FilterOptions[Name] } = {};
  const tags: string[] = [];
  const places: string[] = [];
  let sessionId: string | undefined;
  let mode: TypedSearch["mode"];
  let matchesCase = false;

  function take(name: string, value: string): boolean {
    const field = FIELDS.get(name);
    if (field && isTyping && !isUsable(field, value)) return true;
    if (field) options[field] = value;
    else if (name === "tag") tags.push(value);
    else if (name === "in" && Object.hasOwn(SEARCH_PLACES, value)) places.push(value);
    else if (name === "session") sessionId = value;
    else if (name === "mode" && MODES.some((known) => known === value)) mode = value as SearchRequest["mode"];
    else if (name === "case" && value === "yes") {
      matchesCase = true;
      mode ??= "literal";
    } else if (name === "is" && /^errors?$/.test(value)) options.errors = true;
    else if (name === "is" && /^favou?rites?$/.test(value)) options.favourites = true;
    else return false;
    return true;
  }

  const text = box.replace(TYPED, (whole, name: string, quoted: string) => {
    const value = quoted.replace(/^"|"$/g, "");
    if (value === "" || !take(name.toLowerCase(), value)) return whole;
    typed.push({ name: name.toLowerCase(), value });
    return "";
  });
  return {
    text: text.replace(/\s+/g, " ").trim(),
    mode,
    matchesCase,
    typed,
    options: tags.length > 0 ? { ...options, tag: tags } : options,
    places,
    sessionId,
  };
}

function isUsable(field: FieldName, value: string): boolean {
  if (field !== "since" && field !== "until") return true;
  try {
    parseMoment(value);
    return true;
  } catch {
    return false;
  }
}

/** In the search box the last word is a prefix, while somebody types and after. */
export function withPrefix(text: string): string {
  return /(?:^|\s)[\p{L}\p{N}_]{3,}$/u.test(text) && !/(?:^|\s)(?:OR|AND)$/.test(text) ? `${text}*` : text;
}

/** Snippets and prompts are masked already. */
function toGroup(
  { sessionId, title, project, totalHits, latest, hits }: FoundInSession,
  redactor: Redactor,
): SearchGroup {
  return {
    sessionId,
    title: redactor.text(title, "title"),
    project: project === null ? null : redactor.text(project, "title"),
    totalHits,
    latest,
    hits: hits.map((hit) => toServedHit(hit, redactor)),
  };
}

function toServedHit(hit: SearchHit, redactor: Redactor): ServedHit {
  const { turn, line, kind, toolUseId, agentId, timestamp, prompt, snippet, marks } = hit;
  const tool = hit.tool === null ? null : redactor.text(hit.tool, "tool");
  return { turn, line, kind, tool, toolUseId, agentId, timestamp, prompt, snippet, marks };
}
