import type { Context } from "hono";
import type * as z from "zod";
import { type FilterOptions, toFilter } from "../../app/filter-options.js";
import { UserError } from "../../errors.js";
import type { SessionFilter } from "../../library/load/session-summary.js";

/** The query parameters of a request, each checked when it is read. */
export interface QueryFields {
  text(name: string): string | undefined;
  all(name: string): readonly string[];
  flag(name: string): boolean;
  /** A whole number. Below `min` it is an error; above `max` it is lowered to `max`. */
  number(name: string, limits: NumberLimits): number;
  oneOf<Word extends string>(name: string, words: readonly Word[], fallback: Word): Word;
}

export interface NumberLimits {
  readonly fallback: number;
  readonly min?: number;
  readonly max?: number;
}

const MAX_TEXT = 2000;

export function readQuery(c: Context): QueryFields {
  const parameters = new URL(c.req.url).searchParams;
  const text = (name: string) => {
    const value = parameters.get(name);
    if (value === null || value === "") return undefined;
    if (value.length > MAX_TEXT) throw wrong(name, `at most ${MAX_TEXT} characters`);
    return value;
  };
  return {
    text,
    all: (name) => parameters.getAll(name).filter((value) => value !== ""),
    flag(name) {
      const value = text(name);
      if (value !== undefined && !["0", "1", "true", "false"].includes(value)) throw wrong(name, "0 or 1");
      return value === "1" || value === "true";
    },
    number(name, { fallback, min = 0, max = Number.MAX_SAFE_INTEGER }) {
      const value = text(name);
      if (value === undefined) return fallback;
      if (!/^\d{1,15}$/.test(value) || Number(value) < min) throw wrong(name, `a whole number of at least ${min}`);
      return Math.min(Number(value), max);
    },
    oneOf(name, words, fallback) {
      const value = text(name);
      const word = words.find((candidate) => candidate === value);
      if (value !== undefined && word === undefined) throw wrong(name, `one of ${words.join(", ")}`);
      return word ?? fallback;
    },
  };
}

/** The filters that all lists share with the command line. */
export function readFilterOptions(query: QueryFields): FilterOptions {
  const tags = query.all("tag");
  const texts = {
    project: query.text("project"),
    since: query.text("since"),
    until: query.text("until"),
    model: query.text("model"),
    gitBranch: query.text("gitBranch"),
    tool: query.text("tool"),
    source: query.text("source"),
  };
  return {
    ...Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== undefined)),
    ...(query.flag("errors") ? { errors: true } : {}),
    ...(query.flag("favourites") ? { favourites: true } : {}),
    ...(tags.length > 0 ? { tag: tags } : {}),
  };
}

export function readFilter(query: QueryFields): SessionFilter {
  return toFilter(readFilterOptions(query));
}

function wrong(name: string, wanted: string): UserError {
  return new UserError("usage", `invalid \`${name}\``, `${name} must be ${wanted}`);
}

export async function readBody<Schema extends z.ZodType>(c: Context, schema: Schema): Promise<z.output<Schema>> {
  if (!/^application\/json\b/i.test(c.req.header("content-type") ?? "")) {
    throw new UserError("usage", "the request body must be JSON", "send it with content-type: application/json");
  }
  return checkShape(schema, await c.req.json().catch(() => undefined), "request body");
}

export function checkShape<Schema extends z.ZodType>(schema: Schema, value: unknown, name: string): z.output<Schema> {
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  const issue = checked.error.issues[0];
  const path = issue?.path.join(".");
  throw new UserError("usage", path ? `invalid \`${path}\`` : `invalid ${name}`, issue?.message);
}
