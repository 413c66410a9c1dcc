import type { Context } from "hono";
import type * as z from "zod";
import { UserError } from "../errors.js";

/** The JSON of a request, checked. */
export async function readBody<Schema extends z.ZodType>(c: Context, schema: Schema): Promise<z.output<Schema>> {
  if (!/^application\/json\b/i.test(c.req.header("content-type") ?? "")) {
    throw new UserError("usage", "the body must be JSON", "send it with content-type: application/json");
  }
  return checkShape(schema, await c.req.json().catch(() => undefined), "the body");
}

export function checkShape<Schema extends z.ZodType>(schema: Schema, value: unknown, name: string): z.output<Schema> {
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  const issue = checked.error.issues[0];
  throw new UserError("usage", `${issue?.path.join(".") || name} is not as it should be`, issue?.message);
}
