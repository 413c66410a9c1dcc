import { Hono } from "hono";
import { toStatsFilter } from "../../app/stats-options.js";
import { openTimeZone } from "../../library/stats/time-zone.js";
import { readNumbers } from "../../library/sync/read-numbers.js";
import { readFilterOptions, readQuery } from "../http/read-request.js";
import type { ServedLibrary } from "../library/served-library.js";
import { viewStats } from "../views/stats.js";

const DEFAULT_SESSIONS = 50;
const MAX_SESSIONS = 1000;
const MINUTE_MS = 60_000;

export function statsRoutes(library: ServedLibrary): Hono {
  const app = new Hono();

  app.get("/stats", async (c) => {
    const query = readQuery(c);
    const zone = openTimeZone(query.text("timezone"));
    const id = query.text("session");
    const session = id === undefined ? {} : { session: (await library.find(id)).path };
    const options = await library.loadOptions();
    const redactor = await library.masking();
    const { roots } = library;
    const filter = { ...toStatsFilter(readFilterOptions(query), zone, Date.now()), ...session };
    const withCommits = query.text("by") === "commit";
    const limit = query.number("limit", { fallback: DEFAULT_SESSIONS, min: 1, max: MAX_SESSIONS });
    const minute = Math.floor(Date.now() / MINUTE_MS); // the current five-hour block changes with time
    const answer = await library.memoize(`stats ${minute} ${new URL(c.req.url).search}`, () =>
      library.withIndex((index) => {
        const db = index?.db ?? readNumbers(roots, [], undefined, options.archive);
        try {
          return JSON.stringify(viewStats(db, { roots, filter, zone, options, redactor, limit, withCommits }));
        } finally {
          if (!index) db.close();
        }
      }),
    );
    return c.body(answer, 200, { "content-type": "application/json" });
  });

  return app;
}
