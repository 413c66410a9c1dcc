import type { TextKind } from "../../session/search-texts.js";
import { kindOf } from "./doc-kinds.js";
import type { FoundDoc } from "./find-docs.js";

/** What people said is more often meant than what a tool printed. */
const WEIGHTS: Readonly<Record<TextKind, number>> = {
  title: 4,
  prompt: 3,
  command: 2,
  answer: 2,
  thinking: 1.2,
  file: 1,
  toolInput: 1,
  toolOutput: 0.6,
  context: 0.3,
};
const DAY_MS = 86_400_000;
const FADE_DAYS = 60;

/** Best first: by relevance, kind and age; an old text keeps half of its worth. */
export function rankDocs(docs: readonly FoundDoc[], now: number): FoundDoc[] {
  const valued = docs.map((doc) => ({ doc, worth: worthOf(doc, now) }));
  return valued.sort((a, b) => b.worth - a.worth || b.doc.id - a.doc.id).map(({ doc }) => doc);
}

function worthOf({ id, score, time }: FoundDoc, now: number): number {
  const ageDays = time === null ? Number.POSITIVE_INFINITY : Math.max(0, now - time) / DAY_MS;
  const freshness = 0.5 + 0.5 * Math.exp(-ageDays / FADE_DAYS);
  return -score * WEIGHTS[kindOf(id)] * freshness;
}
