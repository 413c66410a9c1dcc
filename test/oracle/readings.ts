import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ExpectedFacts } from "./expected-facts.js";

const READ_BY_EYE = join(import.meta.dirname, "read-by-eye");

/** What a person found by reading the raw lines, and `because` of which lines. */
export interface Reading {
  readonly quirk: string;
  readonly file: string; // relative to the corpus
  readonly because: readonly string[];
  readonly facts: ExpectedFacts;
}

export const readings: readonly Reading[] = readdirSync(READ_BY_EYE).map((name) => ({
  ...(JSON.parse(readFileSync(join(READ_BY_EYE, name), "utf8")) as Omit<Reading, "quirk">),
  quirk: name.replace(/\.json$/, ""),
}));
