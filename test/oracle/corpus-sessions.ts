import { readdirSync } from "node:fs";
import { join } from "node:path";

export const CORPUS = join(import.meta.dirname, "..", "corpus");

/** Files of other formats: the prompt history, the journal of a workflow, the log of a background job. */
const NO_SESSION = /(?:history|journal|timeline)\.jsonl$/;

/** Files of forked sub-agents, for which the oracle has no rules. */
const FORKED_AGENT = /agent-(?:a64e1b06401134a7b|ae77eb1238ca82a07|a10af884ea1a8d4cb)\.jsonl$/;

/** Every session file of the corpus, sub-agents included, as a path relative to it. */
export function corpusSessions(): string[] {
  return readdirSync(CORPUS, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".jsonl") && !NO_SESSION.test(path) && !FORKED_AGENT.test(path))
    .toSorted();
}

/** Those without forked sub-agents, workflows and files that Bash changed. */
export function plainSessions(): string[] {
  return corpusSessions().filter((path) => !/^2\.1\.326\/(?:forks|background|interactive)\//.test(path));
}
