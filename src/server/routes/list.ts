import { Hono } from "hono";
import { toLinkFilter } from "../../app/links/link-filter.js";
import { maskNames } from "../../app/mask-names.js";
import type { FacetsAnswer, SessionsAnswer } from "../api/list.js";
import { type QueryFields, readFilter, readQuery } from "../http/read-request.js";
import type { ServedLibrary } from "../library/served-library.js";
import { chooseSessions, SESSION_ORDERS, viewFacets } from "../views/list.js";

const DEFAULT_SESSIONS = 100;
const MAX_SESSIONS = 500;

export function listRoutes(library: ServedLibrary): Hono {
  const app = new Hono();

  app.get("/sessions", async (c) => {
    const query = readQuery(c);
    const all = await library.list();
    const chosen = chooseSessions(all, {
      filter: { ...readFilter(query), ...(await toLinkFilter(readLinks(query), "/")) },
      words: query.text("q") ?? "",
      order: query.oneOf("sort", SESSION_ORDERS, "activity"),
      isReversed: query.flag("reverse"),
    });
    const offset = query.number("offset", { fallback: 0 });
    const limit = query.number("limit", { fallback: DEFAULT_SESSIONS, min: 1, max: MAX_SESSIONS });
    const redactor = await library.masking();
    const sessions = chosen
      .slice(offset, offset + limit)
      .map((session) => ({ ...maskNames(session, redactor), live: library.isLive(session) }));
    const answer: SessionsAnswer = {
      sessions,
      total: chosen.length,
      offset,
      found: all.length,
      index: library.sync.state,
    };
    return c.json(answer);
  });

  app.get("/facets", async (c) => {
    const redactor = await library.masking();
    const answer: FacetsAnswer = await library.memoize("facets", async () =>
      viewFacets(await library.list(), (name) => redactor.text(name, "title")),
    );
    return c.json(answer);
  });

  return app;
}

function readLinks(query: QueryFields): { readonly pr?: string } {
  const pr = query.text("pr");
  return pr === undefined ? {} : { pr };
}
