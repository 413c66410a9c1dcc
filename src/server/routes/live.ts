import { Hono } from "hono";
import { openTimeZone } from "../../library/stats/time-zone.js";
import { readNumbers } from "../../library/sync/read-numbers.js";
import type { BudgetsAnswer, LiveAnswer } from "../api/live.js";
import { readQuery } from "../http/read-request.js";
import type { ServedLibrary } from "../library/served-library.js";
import { createLiveViewer } from "../views/live.js";
import { viewSpent } from "../views/spent.js";

export function liveRoutes(library: ServedLibrary): Hono {
  const app = new Hono();
  const viewRunning = createLiveViewer(library);

  app.get("/live", async (c) => c.json({ sessions: await viewRunning() } satisfies LiveAnswer));

  app.get("/spent", async (c) => {
    const zone = openTimeZone(readQuery(c).text("timezone"));
    const now = Date.now();
    const options = await library.loadOptions();
    const { roots } = library;
    const answer = await library.memoize(`spent ${zone.name} ${zone.dayOf(now)}`, () =>
      library.withIndex((index) => {
        const db = index?.db ?? readNumbers(roots, [], undefined, options.archive);
        try {
          return viewSpent(db, { roots, zone, now, options });
        } finally {
          if (!index) db.close();
        }
      }),
    );
    return c.json(answer);
  });

  app.get("/budgets", async (c) => {
    const zone = openTimeZone(readQuery(c).text("timezone"));
    const find = async () => (await library.budgets(zone.name)).toSorted((a, b) => b.share - a.share);
    const budgets = await library.memoize(`budgets ${zone.name} ${zone.dayOf(Date.now())}`, find);
    return c.json({ budgets } satisfies BudgetsAnswer);
  });

  return app;
}
