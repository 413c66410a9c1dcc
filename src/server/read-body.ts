import type { Context } from "hono";
import type * as z from "zod";
import { UserError } from "../errors.js";

/** The JSON of a request, checked. */
export async function readBody<Schema extends z.ZodType>(c: Context, schema: Schema): Promise<z.output<Schema>> {
  if (!/^application\/json\b/i.test(c.req.header("content-type") ?? "")) {
    throw new UserError("usage", "the body must be JSON", "send it with content-type: application/json");
  }
  const checked = schema.safeParse(await c.req.json().catch(() => undefined));
  if (checked.success) return checked.data;
  const issue = checked.error.issues[0];
  const place = issue?.path.join(".") || "the body";
  throw new UserError("usage", `${place} is not as it should be`, issue?.message);
}
