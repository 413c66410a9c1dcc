import type { SearchHit } from "../../library/search-hit.js";
import type { Redactor } from "../../redact/create-redactor.js";
import type { SearchGroup, ServedHit } from "../api/search.js";

/** Sessions in the order of their best hits; in a session the hits by rank. Snippets and prompts come masked. */
export function groupHits(hits: readonly SearchHit[], redactor: Redactor): SearchGroup[] {
  const groups = new Map<string, { readonly first: SearchHit; readonly hits: ServedHit[] }>();
  for (const hit of hits) {
    const known = groups.get(hit.sessionId) ?? { first: hit, hits: [] };
    known.hits.push(toServedHit(hit));
    groups.set(hit.sessionId, known);
  }
  return [...groups].map(([sessionId, { first, hits: own }]) => ({
    sessionId,
    title: redactor.text(first.title, "title"),
    project: first.project,
    hits: own,
  }));
}

function toServedHit(hit: SearchHit): ServedHit {
  const { turn, line, kind, tool, toolUseId, agentId, timestamp, prompt, snippet, marks } = hit;
  return { turn, line, kind, tool, toolUseId, agentId, timestamp, prompt, snippet, marks };
}
