import { Hono } from "hono";
import { blameChangedFile, toBlameReport } from "../../app/links/blame.js";
import { UserError } from "../../errors.js";
import type { BlameAnswer } from "../api/blame.js";
import { readQuery } from "../http/read-request.js";
import type { ServedLibrary } from "../library/served-library.js";

/** Who wrote each line of a file. */
export function blameRoutes(library: ServedLibrary): Hono {
  const app = new Hono();

  app.get("/blame", async (c) => {
    const query = readQuery(c);
    const file = query.text("file");
    if (file === undefined) throw new UserError("usage", "missing `file`", "file must be the whole path of a file");
    const load = await library.loadOptions();
    const { roots } = library;
    const blame = await library.withIndex((index) =>
      blameChangedFile(file, { roots, archive: load.archive, db: index?.db, behind: undefined }, load),
    );
    const from = query.number("from", { fallback: 1, min: 1 });
    const to = query.number("to", { fallback: Number.POSITIVE_INFINITY, min: from });
    const { json: clean } = await library.masking();
    return c.json(toBlameReport(blame, { file, from, to }, clean) satisfies BlameAnswer);
  });

  return app;
}
