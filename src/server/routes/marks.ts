import { Hono } from "hono";
import * as z from "zod";
import { isSameTag, toTagName } from "../../app/organize/tags.js";
import { UserError } from "../../errors.js";
import { changeMarks } from "../../store/user-db.js";
import type { MarksAnswer, MarksRequest } from "../api/marks.js";
import { readBody } from "../http/read-request.js";
import type { ServedLibrary } from "../library/served-library.js";

const MARKS: z.ZodType<MarksRequest> = z.strictObject({
  title: z.string().max(500).nullable().optional(),
  tags: z.array(z.string().max(100)).max(100).optional(),
  favourite: z.boolean().optional(),
  note: z.string().max(20_000).nullable().optional(),
});

/** Changes turnlog's own data only, never the session. */
export function markRoutes(library: ServedLibrary): Hono {
  const app = new Hono();

  app.post("/sessions/:id/marks", async (c) => {
    const { title, tags, favourite, note } = await readBody(c, MARKS);
    const { id } = await library.find(c.req.param("id"));
    const names = tags && toTagNames(tags);
    const marks = changeMarks(library.dataFolder, id, (before) => ({
      title: title === undefined ? before.title : title?.trim() || null,
      tags: names ?? before.tags,
      favourite: favourite ?? before.favourite,
      note: note === undefined ? before.note : note?.trim() || null,
    }));
    library.hub.publish({ kind: "marks", ids: [id] });
    return c.json({ id, ...marks } satisfies MarksAnswer);
  });

  return app;
}

function toTagNames(tags: readonly string[]): string[] {
  const names: string[] = [];
  for (const tag of tags) {
    const name = toTagName(tag);
    if (name === undefined)
      throw new UserError("usage", `invalid tag: ${tag}`, "a tag must not be empty or contain a comma");
    if (!names.some((other) => isSameTag(other, name))) names.push(name);
  }
  return names.sort();
}
