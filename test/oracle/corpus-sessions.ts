import { readdirSync } from "node:fs";
import { join } from "node:path";

export const CORPUS = join(import.meta.dirname, "..", "corpus");

/** Every session file of the corpus, sub-agents included, as a path relative to it. */
export function corpusSessions(): string[] {
  return readdirSync(CORPUS, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".jsonl") && !path.endsWith("history.jsonl"))
    .toSorted();
}
