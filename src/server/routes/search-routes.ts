import { Hono } from "hono";
import { toFilter } from "../../app/filter-options.js";
import { maskingRedactor } from "../../app/redaction.js";
import { searchLibrary } from "../../library/search-library.js";
import { SEARCH_PLACES } from "../../library/search-places.js";
import type { SearchRequest } from "../../library/search-request.js";
import type { SearchAnswerGroups } from "../api/search.js";
import { type QueryFields, readFilterOptions, readQuery } from "../query-fields.js";
import type { ServedLibrary } from "../served-library.js";
import { parseTypedSearch, type TypedSearch, whileTyping } from "../typed-search.js";
import { unlessGivenUp } from "../unless-given-up.js";
import { groupHits } from "../views/search-groups.js";

const USUAL_HITS = 60;
/** Each hit is read from its file and masked: while somebody types, a screenful must do. */
const TYPING_HITS = 8;
const MOST_HITS = 500;
const USUAL_PER_SESSION = 5;

export function searchRoutes(library: ServedLibrary): Hono {
  const redactor = maskingRedactor();
  const mask = (text: string) => redactor.text(text, "snippet");
  const app = new Hono();

  app.get("/search", unlessGivenUp, async (c) => {
    const query = readQuery(c);
    const search = parseTypedSearch(query.text("q") ?? "", query.flag("typing"));
    const request = { ...toRequest(search, query), knowledge: await library.knowledge() };
    const perSession = query.number("perSession", {
      usual: request.sessionId === undefined ? USUAL_PER_SESSION : MOST_HITS,
      least: 1,
      most: MOST_HITS,
    });
    const isBlank = search.text === "" && search.typed.length === 0;
    const found = isBlank
      ? { hits: [], truncated: false }
      : await library.ask((index) => searchLibrary(index, library.roots, request, [], { mask, perSession }));
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
  const usual = isTyping ? TYPING_HITS : USUAL_HITS;
  const limit = query.number("limit", { usual, least: 1, most: MOST_HITS });
  const sessionId = query.text("session") ?? search.sessionId;
  return {
    text: isTyping ? whileTyping(search.text) : search.text,
    mode,
    filter: { ...toFilter({ ...readFilterOptions(query), ...search.options }), limit },
    ...(places.length === 0 ? {} : { kinds: [...new Set(places.flatMap((place) => SEARCH_PLACES[place] ?? []))] }),
    ...(sessionId === undefined ? {} : { sessionId }),
  };
}
