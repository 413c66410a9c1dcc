import { readdirSync } from "node:fs";
import { join } from "node:path";

export const CORPUS = join(import.meta.dirname, "..", "corpus");

/** Files of other formats: the prompt history, the journal of a workflow, the log of a background job. */
const NO_SESSION = /(?:history|journal|timeline)\.jsonl$/;

/** Every session file of the corpus, sub-agents included, as a path relative to it. */
export function corpusSessions(): string[] {
  return readdirSync(CORPUS, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".jsonl") && !NO_SESSION.test(path))
    .toSorted();
}
