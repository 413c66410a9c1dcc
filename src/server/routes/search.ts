import { Hono } from "hono";
import { type FilterOptions, toFilter } from "../../app/filter-options.js";
import { maskingRedactor } from "../../app/redaction.js";
import { parseMoment } from "../../library/load/session-summary.js";
import { searchLibrary } from "../../library/search/run-search.js";
import { SEARCH_PLACES, type SearchHit } from "../../library/search/search-hit.js";
import type { SearchRequest } from "../../library/search/search-request.js";
import type { Redactor } from "../../redact/create-redactor.js";
import type { SearchAnswerGroups, SearchGroup, ServedHit, TypedFilter } from "../api/search.js";
import { type QueryFields, readFilterOptions, readQuery } from "../http/read-request.js";
import { skipIfAborted } from "../http/send-answer.js";
import type { ServedLibrary } from "../library/served-library.js";

const DEFAULT_HITS = 60;
/** While typing, one screen of hits: each is read from its file and masked. */
const TYPING_HITS = 8;
const MAX_HITS = 500;
const DEFAULT_PER_SESSION = 5;

export function searchRoutes(library: ServedLibrary): Hono {
  const redactor = maskingRedactor();
  const mask = (text: string) => redactor.text(text, "snippet");
  const app = new Hono();

  app.get("/search", skipIfAborted, async (c) => {
    const query = readQuery(c);
    const search = parseTypedSearch(query.text("q") ?? "", query.flag("typing"));
    const request = { ...toRequest(search, query), knowledge: await library.loadOptions() };
    const perSession = query.number("perSession", {
      fallback: request.sessionId === undefined ? DEFAULT_PER_SESSION : MAX_HITS,
      min: 1,
      max: MAX_HITS,
    });
    const isBlank = search.text === "" && search.typed.length === 0;
    const found = isBlank
      ? { hits: [], truncated: false }
      : await library.withIndex((index) => searchLibrary(index, library.roots, request, [], { mask, perSession }));
    const answer: SearchAnswerGroups = {
      groups: groupHits(found.hits, redactor),
      truncated: found.truncated,
      text: search.text,
      typed: search.typed,
      index: library.sync.state,
    };
    return c.json(answer);
  });

  return app;
}

function toRequest(search: TypedSearch, query: QueryFields): SearchRequest {
  const places = [...search.places, ...query.all("in").filter((place) => Object.hasOwn(SEARCH_PLACES, place))];
  const mode = query.oneOf("mode", ["words", "literal"], "words");
  const isTyping = query.flag("typing") && mode === "words";
  const fallback = isTyping ? TYPING_HITS : DEFAULT_HITS;
  const limit = query.number("limit", { fallback, min: 1, max: MAX_HITS });
  const sessionId = query.text("session") ?? search.sessionId;
  return {
    text: isTyping ? whileTyping(search.text) : search.text,
    mode,
    filter: { ...toFilter({ ...readFilterOptions(query), ...search.options }), limit },
    ...(places.length === 0 ? {} : { kinds: [...new Set(places.flatMap((place) => SEARCH_PLACES[place] ?? []))] }),
    ...(sessionId === undefined ? {} : { sessionId }),
  };
}

/** The content of the search box, separated into words and filters. */
interface TypedSearch {
  readonly text: string;
  readonly typed: readonly TypedFilter[];
  readonly options: FilterOptions;
  readonly places: readonly string[];
  readonly sessionId: string | undefined;
}

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

  function take(name: string, value: string): boolean {
    const field = FIELDS.get(name);
    if (field && isTyping && !isUsable(field, value)) return true;
    if (field) options[field] = value;
    else if (name === "tag") tags.push(value);
    else if (name === "in" && Object.hasOwn(SEARCH_PLACES, value)) places.push(value);
    else if (name === "session") sessionId = value;
    else if (name === "is" && /^errors?$/.test(value)) options.errors = true;
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

/** While typing, the last word is a prefix. */
export function whileTyping(text: string): string {
  return /(?:^|\s)[\p{L}\p{N}_]{2,}$/u.test(text) && !/(?:^|\s)(?:OR|AND)$/.test(text) ? `${text}*` : text;
}

/** Sessions in the order of their best hits. Snippets and prompts are masked already. */
function groupHits(hits: readonly SearchHit[], redactor: Redactor): SearchGroup[] {
  const groups = new Map<string, { readonly first: SearchHit; readonly hits: ServedHit[] }>();
  for (const hit of hits) {
    const known = groups.get(hit.sessionId) ?? { first: hit, hits: [] };
    known.hits.push(toServedHit(hit));
    groups.set(hit.sessionId, known);
  }
  return [...groups].map(([sessionId, { first, hits: own }]) => ({
    sessionId,
    title: redactor.text(first.title, "title"),
    project: first.project,
    hits: own,
  }));
}

function toServedHit(hit: SearchHit): ServedHit {
  const { turn, line, kind, tool, toolUseId, agentId, timestamp, prompt, snippet, marks } = hit;
  return { turn, line, kind, tool, toolUseId, agentId, timestamp, prompt, snippet, marks };
}
