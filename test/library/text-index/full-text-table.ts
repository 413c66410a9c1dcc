import { onTestFinished } from "vitest";
import { foldText, identifierParts } from "../../../src/library/text-index/tokenize.js";
import { openDatabase } from "../../../src/store/sqlite.js";

/** A table as the index has it, in memory, for as long as the test runs. */
export function openFullTextTable() {
  const database = openDatabase(":memory:");
  onTestFinished(() => database.close());
  database.exec(`
    CREATE VIRTUAL TABLE t USING fts5(text, parts, content='', contentless_delete=1, tokenize='ascii');
    CREATE VIRTUAL TABLE words USING fts5vocab(t, instance);
  `);
  const insert = database.prepare("INSERT INTO t (rowid, text, parts) VALUES (?, ?, ?)");
  const find = database.prepare<{ id: number }>("SELECT rowid AS id FROM t WHERE t MATCH ? ORDER BY rowid");
  const words = database.prepare<{ term: string }>(
    `SELECT term FROM words WHERE "col" = 'text' ORDER BY doc, "offset"`,
  );
  return {
    fill(texts: readonly string[]): void {
      database.exec("DELETE FROM t");
      texts.forEach((text, id) => void insert.run(id, foldText(text), foldText(identifierParts(text))));
    },
    find: (expression: string): number[] => find.all(expression).map(({ id }) => id),
    words: (): string[] => words.all().map(({ term }) => term),
  };
}
