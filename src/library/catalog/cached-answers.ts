import { hash } from "node:crypto";
import type { Database } from "../../store/sqlite.js";
import { readMeta, whyUnusable } from "./open-index.js";

/** Computes an answer from all numbers of the index, and stores it in the index until one of them changes. */
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

/** To be called in every transaction that changes a number or the owner of a file: it invalidates the stored answers. */
export function createChangeCounter(db: Database): () => void {
  const count = db.prepare("UPDATE meta SET value = value + 1 WHERE key = 'generation'");
  return () => void count.run();
}

function generationOf(db: Database): number {
  return Number(readMeta(db, "generation") ?? 0);
}

/** A few time zones, price tables and root sets are in use at a time. */
const MAX_ANSWERS = 16;

/** Skipped where the numbers changed meanwhile, or the index cannot be written at the moment. */
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
