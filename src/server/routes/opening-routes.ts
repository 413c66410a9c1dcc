import { Hono } from "hono";
import { answerOutline } from "../answer-outline.js";
import { branchOf } from "../branch-of.js";
import { readQuery } from "../query-fields.js";
import type { ServedLibrary } from "../served-library.js";
import { turnsJson } from "../views/view-turns.js";

/** About a screenful of turns with their texts, and those around it without. */
const IN_SIGHT = 4;
const SCREENFUL = 20_000; // characters: of long turns fewer fill the screen
const TOLD_BEFORE = 20;
const TOLD_AFTER = 30;

/** What the page of a session paints first. */
export function openingRoutes(library: ServedLibrary): Hono {
  const app = new Hono();

  app.get("/sessions/:id/opening", async (c) => {
    const query = readQuery(c);
    const branch = query.text("branch");
    const { id } = await library.find(c.req.param("id"));
    const { session, clean, version } = await library.open(id);
    const read = branchOf(session, branch);
    const last = Math.max(1, read.outline.turns.length);
    const isAtEnd = query.text("turn") === undefined && library.isLive({ id, endedAt: session.header.endedAt });
    const usual = isAtEnd ? Math.max(1, last - IN_SIGHT + 1) : 1;
    const turn = Math.min(last, query.number("turn", { usual, least: 1 }));
    const enough = isAtEnd ? {} : { enough: SCREENFUL };
    const range = { from: turn, to: turn + IN_SIGHT - 1 };
    const { prices } = await library.knowledge();
    const turns = turnsJson(read, { ...range, ...enough, isWhole: false, clean, prices, version });
    const around = { branch, from: Math.max(1, turn - TOLD_BEFORE), to: turn + TOLD_AFTER };
    const outline = JSON.stringify(await answerOutline(library, id, around));
    return c.body(Buffer.from(`{"session":${outline},"turns":${turns}}`), 200, { "content-type": "application/json" });
  });

  return app;
}
