import { Hono } from "hono";
import { maskSummary } from "../../app/mask-summary.js";
import { maskingRedactor } from "../../app/redaction.js";
import type { FacetsAnswer, SessionsAnswer } from "../api/list.js";
import { readFilter, readQuery } from "../http/read-request.js";
import type { ServedLibrary } from "../library/served-library.js";
import { chooseSessions, SESSION_ORDERS, viewFacets } from "../views/list.js";
import { answerOutline } from "../views/outline.js";

const USUAL_SESSIONS = 100;
const MOST_SESSIONS = 500;

export function listRoutes(library: ServedLibrary): Hono {
  const redactor = maskingRedactor();
  const app = new Hono();

  app.get("/sessions", async (c) => {
    const query = readQuery(c);
    const all = await library.list();
    const chosen = chooseSessions(all, {
      filter: readFilter(query),
      words: query.text("q") ?? "",
      order: query.oneOf("sort", SESSION_ORDERS, "activity"),
      isReversed: query.flag("reverse"),
    });
    const offset = query.number("offset", { usual: 0 });
    const limit = query.number("limit", { usual: USUAL_SESSIONS, least: 1, most: MOST_SESSIONS });
    const sessions = chosen
      .slice(offset, offset + limit)
      .map((session) => ({ ...maskSummary(session, redactor), live: library.isLive(session) }));
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
    const answer: FacetsAnswer = await library.memoize("facets", async () => viewFacets(await library.list()));
    return c.json(answer);
  });

  app.get("/sessions/:id", async (c) => {
    const query = readQuery(c);
    const answer = await answerOutline(library, c.req.param("id"), {
      branch: query.text("branch"),
      from: query.number("from", { usual: 1, least: 1 }),
      to: query.number("to", { usual: Number.MAX_SAFE_INTEGER, least: 1 }),
    });
    return c.body(Buffer.from(JSON.stringify(answer)), 200, { "content-type": "application/json" });
  });

  return app;
}
