import { type Context, Hono } from "hono";
import * as z from "zod";
import { UserError } from "../../errors.js";
import type { LoadedSession } from "../../library/load/load-session.js";
import type { Clean } from "../../redact/create-redactor.js";
import type { RawAnswer, RevealRequest } from "../api/session.js";
import { type QueryFields, readBody, readQuery } from "../http/read-request.js";
import type { ServedLibrary } from "../library/served-library.js";
import { branchOf, type CachedSession } from "../library/session-cache.js";
import { openPart } from "../views/open-part.js";
import { answerOutline } from "../views/outline.js";
import { forkContextJson, type TurnsRequest, turnsJson, viewRaw } from "../views/turns.js";

const DEFAULT_TURNS = 20;
const MAX_TURNS = 200;
/** The turns of the first screen come with their texts, those around them without. */
const FIRST_TURNS = 4;
const FIRST_CHARACTERS = 20_000;
const TURNS_BEFORE = 20;
const TURNS_AFTER = 30;

/** One session: its outline, its turns, and the records behind them. */
export function sessionRoutes(library: ServedLibrary): Hono {
  const app = new Hono();

  app.get("/sessions/:id", async (c) => {
    const query = readQuery(c);
    const answer = await answerOutline(library, c.req.param("id"), {
      branch: query.text("branch"),
      from: query.number("from", { fallback: 1, min: 1 }),
      to: query.number("to", { fallback: Number.MAX_SAFE_INTEGER, min: 1 }),
    });
    return sendJson(c, JSON.stringify(answer));
  });

  app.get("/sessions/:id/opening", async (c) =>
    sendJson(c, await openingJson(library, c.req.param("id"), readQuery(c))),
  );

  app.get("/sessions/:id/turns", async (c) =>
    answerTurns(c, await library.open(c.req.param("id")), readQuery(c), library),
  );

  app.get("/sessions/:id/subagents/:agentId/turns", async (c) =>
    answerTurns(c, await library.openAgent(c.req.param("id"), c.req.param("agentId")), readQuery(c), library),
  );

  app.get("/sessions/:id/subagents/:agentId/fork-context", async (c) =>
    sendJson(c, await contextJson(library, c.req.param("id"), c.req.param("agentId"))),
  );

  app.get("/sessions/:id/raw", async (c) => {
    const query = readQuery(c);
    const cached = await openPart(library, c.req.param("id"), query.text("agentId"));
    const line = query.number("line", { fallback: lineOf(cached, query.text("uuid")) });
    if (line < 1)
      throw new UserError("usage", "missing `line` or `uuid`", "line must be at least 1, uuid that of a record");
    return c.json(viewRaw(cached.session, line, cached.clean) satisfies RawAnswer);
  });

  app.post("/sessions/:id/reveal", async (c) => {
    const wanted = await readBody(c, REVEAL);
    const cached = await openPart(library, c.req.param("id"), wanted.agentId);
    c.header("cache-control", "no-store");
    if ("line" in wanted) return c.json(viewRaw(cached.session, wanted.line, unmasked) satisfies RawAnswer);
    const { from, to, branch } = wanted;
    const session = branchOf(cached.session, branch);
    return sendJson(c, await rangeJson(library, session, { ...cached, from, to, isWhole: false, clean: unmasked }));
  });

  return app;
}

const number = z.int().min(1);
const agentId = z.string().min(1).max(200).optional();
const REVEAL: z.ZodType<RevealRequest> = z.union([
  z.strictObject({ line: number, agentId }),
  z.strictObject({ from: number, to: number, branch: z.string().min(1).max(200).optional(), agentId }),
]);

function sendJson(c: Context, json: string): Response {
  return c.body(Buffer.from(json), 200, { "content-type": "application/json" });
}

/** The JSON text of an `OpeningAnswer`. */
async function openingJson(library: ServedLibrary, name: string, query: QueryFields): Promise<string> {
  const branch = query.text("branch");
  const { id } = await library.find(name);
  const { session, clean, version } = await library.open(id);
  const read = branchOf(session, branch);
  const last = Math.max(1, read.outline.turns.length);
  const isAtEnd = query.text("turn") === undefined && library.isLive({ id, endedAt: session.header.endedAt });
  const fallback = isAtEnd ? Math.max(1, last - FIRST_TURNS + 1) : 1;
  const turn = Math.min(last, query.number("turn", { fallback, min: 1 }));
  const enough = isAtEnd ? {} : { enough: FIRST_CHARACTERS };
  const range = { from: turn, to: turn + FIRST_TURNS - 1 };
  const { prices } = await library.loadOptions();
  const turns = turnsJson(read, { ...range, ...enough, isWhole: false, clean, prices, version });
  const around = { branch, from: Math.max(1, turn - TURNS_BEFORE), to: turn + TURNS_AFTER };
  const outline = JSON.stringify(await answerOutline(library, id, around));
  return `{"session":${outline},"turns":${turns}}`;
}

async function answerTurns(
  c: Context,
  cached: CachedSession,
  query: QueryFields,
  library: ServedLibrary,
): Promise<Response> {
  const session = branchOf(cached.session, query.text("branch"));
  const last = query.number("last", { fallback: 0, max: MAX_TURNS });
  const fallback = last > 0 ? Math.max(1, session.outline.turns.length - last + 1) : 1;
  const from = query.number("from", { fallback, min: 1 });
  const to = query.number("to", { fallback: from + (last || DEFAULT_TURNS) - 1, min: from });
  return sendJson(c, await rangeJson(library, session, { ...cached, from, to, isWhole: query.flag("whole") }));
}

/** At most `MAX_TURNS` turns. */
async function rangeJson(
  library: ServedLibrary,
  session: LoadedSession,
  { from, to, isWhole, clean, version }: Omit<TurnsRequest, "prices" | "enough">,
): Promise<string> {
  const { prices } = await library.loadOptions();
  return turnsJson(session, { from, to: Math.min(to, from + MAX_TURNS - 1), isWhole, clean, prices, version });
}

async function contextJson(library: ServedLibrary, id: string, agentId: string): Promise<string> {
  const { session, clean } = await library.openAgent(id, agentId);
  const { prices } = await library.loadOptions();
  const json = forkContextJson(session, { clean, prices });
  if (json !== undefined) return json;
  throw new UserError("not-found", "the sub-agent is no fork", "its turns are all there is");
}

const unmasked: Clean = (value) => value;

/** A record of a rewound branch is found on the branch that ends with it. */
function lineOf({ session }: CachedSession, uuid: string | undefined): number {
  if (uuid === undefined) return 0;
  const isIt = (node: { readonly uuid?: string | undefined }) => node.uuid === uuid;
  return (session.outline.active.find(isIt) ?? session.branch(uuid).outline.active.find(isIt))?.line ?? 0;
}
