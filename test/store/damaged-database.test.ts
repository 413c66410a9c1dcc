import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { openDatabase } from "../../src/store/sqlite.js";
import { runs } from "../runs.js";
import { finish, startStoreProcess } from "./store-process.js";
import { tempDir } from "./temp-dir.js";

type Damage =
  | { readonly kind: "bytes"; readonly places: readonly number[]; readonly value: number }
  | { readonly kind: "page"; readonly place: number; readonly value: number }
  | { readonly kind: "cut"; readonly place: number };

const place = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
const value = fc.integer({ min: 0, max: 255 });
const damage: fc.Arbitrary<Damage> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("bytes"),
      places: fc.array(place, { minLength: 1, maxLength: 40 }),
      value,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("page"), place, value }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("cut"), place }) },
);

const FILES_PER_PROCESS = 25;

test("no damaged database ends the process, whatever is read or written", async () => {
  const dir = tempDir();
  const sound = soundDatabase(dir);
  const { numRuns, ...seed } = runs(FILES_PER_PROCESS);
  const damages = fc.sample(damage, { numRuns, ...seed });
  for (let at = 0; at < damages.length; at += FILES_PER_PROCESS) {
    const paths = damages.slice(at, at + FILES_PER_PROCESS).map((how, number) => {
      const path = join(dir, `damaged-${at + number}.db`);
      writeFileSync(path, applied(how, sound));
      return path;
    });
    const { code, signal, stderr, stdout } = await finish(
      startStoreProcess(useAll(paths), { TURNLOG_SQLITE: "libsql" }),
    );
    expect({ code, signal, stderr }).toEqual({ code: 0, signal: null, stderr: "" });
    expect(stdout).toBe(`${paths.length} files used\n`);
  }
}, 120_000);

test("text that is no UTF-8 is read with replacement characters", () => {
  vi.stubEnv("TURNLOG_SQLITE", "libsql");
  const database = openDatabase(join(tempDir(), "a.db"));
  database.exec("CREATE TABLE t (a TEXT, b BLOB); INSERT INTO t VALUES (CAST(x'61ff62' AS TEXT), x'61ff62')");
  expect(database.prepare("SELECT a, b FROM t").get()).toEqual({
    a: "a\uFFFDb",
    b: new Uint8Array([0x61, 0xff, 0x62]),
  });
  database.close();
  vi.unstubAllEnvs();
});

function soundDatabase(dir: string): Buffer {
  const path = join(dir, "sound.db");
  const database = openDatabase(path);
  database.exec(`CREATE TABLE sessions (id INTEGER PRIMARY KEY, path TEXT, title TEXT, size INTEGER); CREATE INDEX by_path ON sessions (path);
    CREATE VIRTUAL TABLE texts USING fts5(text, content='', contentless_delete=1)`);
  const session = database.prepare("INSERT INTO sessions (path, title, size) VALUES (?, ?, ?)");
  const text = database.prepare("INSERT INTO texts (rowid, text) VALUES (?, ?)");
  database.transaction(() => {
    for (let at = 1; at <= 2000; at++) {
      session.run(`/srv/shop/${at}.jsonl`, `café 中文 session ${at}`, at);
      text.run(at, `word${at} alpha 中 文 delta${at % 50}`);
    }
  });
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
  return readFileSync(path);
}

function applied(how: Damage, sound: Buffer): Buffer {
  const bytes = Buffer.from(sound);
  const offset = (at: number) => Math.floor(at * bytes.length);
  if (how.kind === "cut") return bytes.subarray(0, offset(how.place));
  if (how.kind === "page")
    return bytes.fill(how.value, offset(how.place), Math.min(bytes.length, offset(how.place) + 4096));
  for (const at of how.places) bytes[offset(at)] = how.value;
  return bytes;
}

/** Errors are fine; the process must be there to print its last line. */
function useAll(paths: readonly string[]): string {
  return `
    const { openDatabase } = await import(store + "/sqlite.js");
    const attempt = (work) => { try { work(); } catch (error) { if (!(error instanceof Error)) throw error; } };
    for (const path of ${JSON.stringify(paths)}) {
      attempt(() => {
        const database = openDatabase(path);
        const all = (sql) => attempt(() => database.prepare(sql).all());
        const run = (sql) => attempt(() => database.prepare(sql).run());
        all("SELECT * FROM sessions");
        all("SELECT path FROM sessions WHERE path > '/srv/shop/5' ORDER BY path");
        all("SELECT * FROM sqlite_schema");
        all("SELECT rowid FROM texts WHERE texts MATCH 'alpha'");
        attempt(() => { for (const _ of database.prepare("SELECT title FROM sessions").iterate()); });
        attempt(() => database.prepare("SELECT title FROM sessions WHERE id = 700").get());
        run("INSERT INTO sessions (path, title, size) VALUES ('a', 'b', 1)");
        run("UPDATE sessions SET title = 'changed' WHERE size % 7 = 0");
        run("INSERT INTO texts (rowid, text) VALUES (900001, 'new')");
        run("DELETE FROM texts WHERE rowid = 17");
        database.close();
      });
    }
    console.log(${paths.length} + " files used");
  `;
}
