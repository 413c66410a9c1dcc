import { onTestFinished } from "vitest";
import { indexedWords } from "../../../src/library/text-index/write-docs.js";
import { openDatabase } from "../../../src/store/sqlite.js";

/** A table as the index has it, in memory, for as long as the test runs. */
export function openFullTextTable() {
  const database = openDatabase(":memory:");
  onTestFinished(() => database.close());
  database.exec(`
    CREATE VIRTUAL TABLE t USING fts5(text, content='', contentless_delete=1, tokenize='ascii');
    CREATE VIRTUAL TABLE words USING fts5vocab(t, instance);
  `);
  const insert = database.prepare("INSERT INTO t (rowid, text) VALUES (?, ?)");
  const find = database.prepare<{ id: number }>("SELECT rowid AS id FROM t WHERE t MATCH ? ORDER BY rowid");
  const words = database.prepare<{ term: string }>(`SELECT term FROM words ORDER BY doc, "offset"`);
  return {
    fill(texts: readonly string[]): void {
      database.exec("DELETE FROM t");
      texts.forEach((text, id) => void insert.run(id, indexedWords(text)));
    },
    find: (expression: string): number[] => find.all(expression).map(({ id }) => id),
    words: (): string[] => words.all().map(({ term }) => term),
  };
}
