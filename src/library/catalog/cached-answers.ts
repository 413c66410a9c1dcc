import { hash } from "node:crypto";
import type { Database } from "../../store/sqlite.js";
import { readMeta, whyUnusable } from "./open-index.js";

/** The answer to a question about all numbers of the index: as it was kept, or computed and kept until one of them changes. */
export function cachedAnswer<Answer>(db: Database, question: unknown, compute: () => Answer): Answer {
  const key = hash("sha1", JSON.stringify(question));
  const generation = generationOf(db);
  const select = db.prepare<{ answer: string }>("SELECT answer FROM answers WHERE question = ? AND generation = ?");
  const kept = select.get(key, generation);
  if (kept) return JSON.parse(kept.answer) as Answer;
  const answer = compute();
  saveAnswer(db, key, generation, JSON.stringify(answer));
  return answer;
}

/** Whoever changes a number, or where a session belongs, says so in the same transaction: what was kept no longer holds. */
export function createChangeCounter(db: Database): () => void {
  const count = db.prepare("UPDATE meta SET value = value + 1 WHERE key = 'generation'");
  return () => void count.run();
}

function generationOf(db: Database): number {
  return Number(readMeta(db, "generation") ?? 0);
}

/** Time zones, prices and the page ask differently; more than a few are of somebody who tries things out. */
const MAX_ANSWERS = 16;

/** Not where something changed meanwhile, nor where the index cannot be written just now. */
function saveAnswer(db: Database, key: string, generation: number, answer: string): void {
  try {
    db.transactionIfFree(() => {
      if (generationOf(db) !== generation) return;
      db.prepare("DELETE FROM answers WHERE generation <> ? OR (SELECT count(*) FROM answers) >= ?").run(
        generation,
        MAX_ANSWERS,
      );
      db.prepare("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)").run(key, generation, answer);
    });
  } catch (error) {
    if (whyUnusable(error) === undefined) throw error;
  }
}
