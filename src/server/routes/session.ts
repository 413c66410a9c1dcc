import { type Context, Hono } from "hono";
import * as z from "zod";
import { UserError } from "../../errors.js";
import type { ContextAnswer, RawAnswer, RevealRequest } from "../api/session.js";
import { type QueryFields, readBody, readQuery } from "../http/read-request.js";
import type { ServedLibrary } from "../library/served-library.js";
import { branchOf, type CachedSession } from "../library/session-cache.js";
import { viewAgents, viewContext } from "../views/context.js";
import { answerOutline } from "../views/outline.js";
import { turnsJson, viewRaw } from "../views/turns.js";

/** The turns of the first screen come with their texts, those around them without. */
const IN_SIGHT = 4;
const SCREENFUL = 20_000; // characters
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

const USUAL_TURNS = 20;
const MOST_TURNS = 200;

/** What stands in a session: its turns, and the records behind them. */
export function sessionRoutes(library: ServedLibrary): Hono {
  const app = new Hono();

  app.get("/sessions/:id/turns", async (c) =>
    answerTurns(c, await library.open(c.req.param("id")), readQuery(c), library),
  );

  app.get("/sessions/:id/subagents/:agentId/turns", async (c) =>
    answerTurns(c, await library.openAgent(c.req.param("id"), c.req.param("agentId")), readQuery(c), library),
  );

  app.get("/sessions/:id/raw", async (c) => {
    const query = readQuery(c);
    const cached = await openPart(library, c.req.param("id"), query.text("agentId"));
    const line = query.number("line", { usual: lineOf(cached, query.text("uuid")) });
    if (line < 1) throw new UserError("usage", "which line?", "line wants a number from 1 on, or uuid a record's id");
    return c.json(viewRaw(cached.session, line, cached.clean) satisfies RawAnswer);
  });

  app.get("/sessions/:id/context", async (c) => {
    const query = readQuery(c);
    const cached = await openPart(library, c.req.param("id"), query.text("agentId"));
    const session = branchOf(cached.session, query.text("branch"));
    const once = session === cached.session ? cached.once : <T>(_name: string, work: () => T) => work();
    const points = await once("context", () => viewContext(session));
    const agents = once("agents", () => viewAgents(session));
    return c.json(cached.clean({ points, agents }, "context") satisfies ContextAnswer);
  });

  app.post("/sessions/:id/reveal", async (c) => {
    const wanted = await readBody(c, REVEAL);
    const cached = await openPart(library, c.req.param("id"), wanted.agentId);
    c.header("cache-control", "no-store");
    if ("line" in wanted) return c.json(viewRaw(cached.session, wanted.line, (value) => value) satisfies RawAnswer);
    const { from, to, branch } = wanted;
    return c.body(
      turnsJson(branchOf(cached.session, branch), {
        from,
        to: Math.min(to, from + MOST_TURNS - 1),
        isWhole: false,
        clean: (value) => value,
        prices: (await library.knowledge()).prices,
        version: cached.version,
      }),
      200,
      { "content-type": "application/json" },
    );
  });

  return app;
}

const number = z.int().min(1);
const agentId = z.string().min(1).max(200).optional();
const REVEAL: z.ZodType<RevealRequest> = z.union([
  z.strictObject({ line: number, agentId }),
  z.strictObject({ from: number, to: number, branch: z.string().min(1).max(200).optional(), agentId }),
]);

/** The session, or one of its sub-agents. */
function openPart(library: ServedLibrary, id: string, agent: string | undefined): Promise<CachedSession> {
  return agent === undefined ? library.open(id) : library.openAgent(id, agent);
}

/** A record of a rewound branch is found on the branch that ends with it. */
function lineOf({ session }: CachedSession, uuid: string | undefined): number {
  if (uuid === undefined) return 0;
  const isIt = (node: { readonly uuid?: string | undefined }) => node.uuid === uuid;
  return (session.outline.active.find(isIt) ?? session.branch(uuid).outline.active.find(isIt))?.line ?? 0;
}

async function answerTurns(
  c: Context,
  cached: CachedSession,
  query: QueryFields,
  { knowledge }: ServedLibrary,
): Promise<Response> {
  const session = branchOf(cached.session, query.text("branch"));
  const last = query.number("last", { usual: 0, most: MOST_TURNS });
  const usual = last > 0 ? Math.max(1, session.outline.turns.length - last + 1) : 1;
  const from = query.number("from", { usual, least: 1 });
  const to = query.number("to", { usual: from + (last || USUAL_TURNS) - 1, least: from });
  const json = turnsJson(session, {
    from,
    to: Math.min(to, from + MOST_TURNS - 1),
    isWhole: query.flag("whole"),
    clean: cached.clean,
    prices: (await knowledge()).prices,
    version: cached.version,
  });
  return c.body(Buffer.from(json), 200, { "content-type": "application/json" });
}
