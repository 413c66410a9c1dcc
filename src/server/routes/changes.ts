import { Hono } from "hono";
import { linesAfter, viewingChanges } from "../../app/changes/session-changes.js";
import { UserError } from "../../errors.js";
import { linksOf } from "../../library/load/session-summary.js";
import type { ChangesAnswer, LinesAnswer } from "../api/changes.js";
import { readQuery } from "../http/read-request.js";
import { inPieces } from "../http/send-answer.js";
import type { ServedLibrary } from "../library/served-library.js";
import { openNamed, touchedFilesOf } from "../views/touched-files.js";

const MAX_LINES = 2000;

/** What sessions changed, as a diff whose hunks lead to the turns that made them. */
export function changeRoutes(library: ServedLibrary): Hono {
  const app = new Hono();

  app.get("/changes", async (c) => {
    const query = readQuery(c);
    const cached = await openNamed(library, query);
    const branch = query.text("branch");
    const touched = await touchedFilesOf(cached, branch);
    const path = query.text("path");
    const view = () => inPieces(viewingChanges(touched, { clean: cached.clean, path }));
    const changes = await (branch === undefined && path === undefined ? cached.once("changes", view) : view());
    if (path !== undefined && changes.files.length === 0) throw unknownFile(path);
    const place = await library.find(cached.session.header.id);
    const { pullRequests, commits } = "commits" in place ? place : linksOf([cached.session.outline]);
    const links = cached.clean({ pullRequests, commits }, "links");
    return c.json({ ...changes, ...links } satisfies ChangesAnswer);
  });

  app.get("/changes/lines", async (c) => {
    const query = readQuery(c);
    const cached = await openNamed(library, query);
    const path = query.text("path") ?? "";
    const lines = linesAfter(await touchedFilesOf(cached, query.text("branch")), { clean: cached.clean, path });
    if (!lines) throw unknownFile(path);
    const from = query.number("from", { fallback: 1, min: 1 });
    const to = query.number("to", { fallback: from, min: from, max: from + MAX_LINES - 1 });
    return c.json({ from, lines: lines.slice(from - 1, to), total: lines.length } satisfies LinesAnswer);
  });

  return app;
}

function unknownFile(path: string): UserError {
  return new UserError(
    "not-found",
    `no content known of ${path.slice(0, 200)}`,
    "GET /api/changes lists the files that the session changed",
  );
}
