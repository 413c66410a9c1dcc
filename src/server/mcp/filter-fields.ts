import { homedir } from "node:os";
import * as z from "zod";
import { type FilterOptions, toFilter } from "../../app/filter-options.js";
import { expandHome } from "../../format/path-forms.js";
import type { SessionFilter } from "../../library/session-filter.js";

const TIME = "7d, 12h, today, yesterday, 2026-05-01 or an ISO time";

export const projectField = z
  .string()
  .optional()
  .describe("Only sessions of this project: its path (a leading ~ is the home folder), or a part of it");
export const sinceField = z.string().optional().describe(`Only what happened since then: ${TIME}`);
export const untilField = z.string().optional().describe(`Only what happened before then: ${TIME}`);
export const cursorField = z
  .string()
  .max(200)
  .optional()
  .describe("nextCursor of the answer before, to go on from there; all other arguments the same");

export function limitField(usual: number, most: number) {
  return z
    .int()
    .min(1)
    .max(most)
    .optional()
    .describe(`At most so many (${usual} unless told); fewer when they are long`);
}

type FilterFields = { readonly [Name in Exclude<keyof FilterOptions, "limit">]?: FilterOptions[Name] | undefined };

/** Without those that are undefined; projects are told as `~/…`, so they are asked for like that too. */
export function givenFields(fields: FilterFields): FilterOptions {
  const given = Object.entries({ ...fields, project: fields.project && expandHome(fields.project, homedir()) });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

export function argumentFilter(fields: FilterFields): SessionFilter {
  return toFilter(givenFields(fields));
}
