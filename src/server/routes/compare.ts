import { Hono } from "hono";
import { UserError } from "../../errors.js";
import type { CompareAnswer } from "../api/compare.js";
import { readQuery } from "../http/read-request.js";
import type { ServedLibrary } from "../library/served-library.js";
import { branchOf } from "../library/session-cache.js";
import { type ComparedSide, viewCompare } from "../views/compare.js";

export function compareRoutes(library: ServedLibrary): Hono {
  const app = new Hono();

  async function side(id: string | undefined, branch: string | undefined): Promise<ComparedSide> {
    if (id === undefined) throw new UserError("usage", "missing `a` or `b`", "both must be ids of sessions");
    const { session, clean } = await library.open(id);
    return { session: branchOf(session, branch), branch, clean };
  }

  app.get("/compare", async (c) => {
    const query = readQuery(c);
    const a = await side(query.text("a"), query.text("branchA"));
    const b = await side(query.text("b"), query.text("branchB"));
    const { prices } = await library.loadOptions();
    return c.json((await viewCompare(a, b, prices)) satisfies CompareAnswer);
  });

  return app;
}
