import { Hono } from "hono";
import { UserError } from "../../errors.js";
import type { ContextAnswer, WindowAnswer } from "../api/session.js";
import { readQuery } from "../http/read-request.js";
import { inPieces } from "../http/send-answer.js";
import type { ServedLibrary } from "../library/served-library.js";
import { branchOf } from "../library/session-cache.js";
import { viewAgents, viewContext } from "../views/context.js";
import { cutTitles, viewingWindow } from "../views/context-window.js";
import { openPart } from "../views/open-part.js";

/** What filled the context window of a session, turn by turn and part by part. */
export function contextRoutes(library: ServedLibrary): Hono {
  const app = new Hono();

  app.get("/sessions/:id/context", async (c) => {
    const query = readQuery(c);
    const cached = await openPart(library, c.req.param("id"), query.text("agentId"));
    const session = branchOf(cached.session, query.text("branch"));
    const once = session === cached.session ? cached.once : <T>(_name: string, work: () => T) => work();
    const points = await once("context", () => viewContext(session));
    const agents = once("agents", () => viewAgents(session));
    return c.json(cached.clean({ points, agents }, "context") satisfies ContextAnswer);
  });

  app.get("/sessions/:id/context/window", async (c) => {
    const query = readQuery(c);
    const { session: whole, clean, once } = await library.open(c.req.param("id"));
    const session = branchOf(whole, query.text("branch"));
    const points = await (session === whole ? once("context", () => viewContext(session)) : viewContext(session));
    const turn = query.number("turn", { fallback: session.outline.turns.length, min: 1 });
    const answer = await inPieces(viewingWindow(session, points, turn));
    if (!answer) throw new UserError("not-found", `there is no turn ${turn}`, "turns are counted from 1");
    return c.json(cutTitles(clean(answer, "context")) satisfies WindowAnswer);
  });

  return app;
}
