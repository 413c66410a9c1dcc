import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { type Database, isBusy, isCorrupt, openDatabase, type SqlInput } from "../../src/store/sqlite.js";
import { runs } from "../runs.js";
import { finish, startStoreProcess } from "./store-process.js";
import { tempDir } from "./temp-dir.js";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const hasNodeSqlite = major >= 24 || (major === 22 && minor >= 16);
const ENGINES = hasNodeSqlite ? (["libsql", "node"] as const) : (["libsql"] as const);

function open(path = join(tempDir(), "a.db"), options: { readonly?: boolean } = {}): Database {
  const database = openDatabase(path, options);
  onTestFinished(() => database.close());
  return database;
}

function caught(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

/** What comes back of values that go through columns without a type of their own, read in one of three ways. */
function roundTrip(database: Database, values: readonly SqlInput[], how: "get" | "all" | "iterate" = "get"): unknown {
  const statement = database.prepare(`SELECT ${values.map((_, index) => `? AS c${index}`).join(", ")}`);
  const [row] = how === "get" ? [statement.get(...values)] : statement[how](...values);
  return Object.values(row ?? {});
}

test("Node's own engine is used where Node has it, else libsql", () => {
  expect(open().engine).toBe(hasNodeSqlite ? "node" : "libsql");
});

test("an engine that this Node does not have is refused", () => {
  vi.stubEnv("TURNLOG_SQLITE", "oracle");
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(() => open()).toThrow(expect.objectContaining({ name: "UserError", code: "config" }));
});

describe.each(ENGINES)("with %s", (engine) => {
  beforeEach(() => {
    vi.stubEnv("TURNLOG_SQLITE", engine);
    return () => void vi.unstubAllEnvs();
  });

  test("it is the engine that was asked for", () => {
    expect(open().engine).toBe(engine);
  });

  test("a connection has our settings", () => {
    const database = open();
    const pragma = (name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
    expect(["journal_mode", "busy_timeout", "foreign_keys", "synchronous"].map(pragma)).toEqual(["wal", 5000, 1, 1]);
  });

  test("values come back as they went in, and missing ones as null", () => {
    const values = [1, -1.5, 2 ** 52, "text", "", "日本 🙂", null, undefined, true, false, -0];
    expect(roundTrip(open(), values)).toEqual([1, -1.5, 2 ** 52, "text", "", "日本 🙂", null, null, 1, 0, 0]);
  });

  test("integers are stored as integers, and exact beyond 2^53", () => {
    const database = open();
    expect(database.prepare("SELECT typeof(?) AS a, typeof(?) AS b").get(5, 5.5)).toEqual({ a: "integer", b: "real" });
    expect(roundTrip(database, [2n ** 53n + 1n, -(2n ** 63n), 7n])).toEqual([2n ** 53n + 1n, -(2n ** 63n), 7]);
    database.exec("CREATE TABLE t (a)");
    expect(database.prepare("INSERT INTO t (rowid) VALUES (?)").run(2n ** 53n + 1n)).toEqual({
      changes: 1,
      lastInsertRowid: 2n ** 53n + 1n,
    });
  });

  test.each([2n ** 63n, -(2n ** 63n) - 1n])("the integer %s is refused, as it has no place in 64 bits", (value) => {
    const database = open();
    expect(() => roundTrip(database, [value])).toThrow(RangeError);
  });

  test.each([[new Date()], [Symbol("x")], [() => 1], [[1]]])(
    "a value that SQLite has no type for is refused",
    (value) => {
      const database = open();
      expect(() => roundTrip(database, [1, value as unknown as SqlInput])).toThrow(TypeError);
    },
  );

  test.each(["get", "all", "iterate"] as const)("%s gives bytes as a Uint8Array, also of a part of a buffer", (how) => {
    const part = Buffer.from([9, 1, 2, 9]).subarray(1, 3);
    const bytes = roundTrip(open(), [part, new Uint8Array()], how);
    expect(bytes).toStrictEqual([new Uint8Array([1, 2]), new Uint8Array()]);
  });

  test("a NUL in a text becomes the replacement character, and nothing after it is lost", () => {
    expect(roundTrip(open(), ["a\0b\0"])).toEqual(["a\uFFFDb\uFFFD"]);
  });

  test.each(["get", "all", "iterate"] as const)("every value survives and is read by %s", (how) => {
    const database = open();
    const value = fc.oneof(
      fc.string({ unit: "binary" }).map((text) => text.replaceAll("\0", "")),
      fc.maxSafeInteger(),
      fc.double({ noNaN: true }).filter((double) => !Object.is(double, -0)),
      fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }),
      fc.uint8Array(),
      fc.constant(null),
    );
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 10 }), (values) => {
        expect(roundTrip(database, values, how)).toEqual(values);
      }),
      runs(100),
    );
  });

  test("parameters may be named", () => {
    const statement = open().prepare("SELECT :a AS a, @b AS b, $c AS c");
    expect(statement.get({ a: 1, b: "x", c: undefined })).toEqual({ a: 1, b: "x", c: null });
    expect(statement.all({ a: null, b: new Uint8Array([1]), c: 2 })).toEqual([
      { a: null, b: new Uint8Array([1]), c: 2 },
    ]);
  });

  test.each([[null], [undefined], [new Uint8Array([1])]])("%s alone is a value, not a set of named ones", (value) => {
    expect(roundTrip(open(), [value])).toEqual([value ?? null]);
  });

  test("rows are read one, all, or one by one, with nothing added", () => {
    const database = open();
    database.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO t (name) VALUES ('a'), ('b')");
    const rows = [
      { id: 1, name: "a" },
      { id: 2, name: "b" },
    ];
    expect(database.prepare("SELECT * FROM t").get()).toEqual(rows[0]);
    expect(database.prepare("SELECT * FROM t WHERE id = ?").get(3)).toBeUndefined();
    expect(database.prepare("SELECT * FROM t").all()).toEqual(rows);
    expect([...database.prepare("SELECT * FROM t").iterate()]).toEqual(rows);
    expect(database.prepare("INSERT INTO t (name) VALUES (?)").run("c")).toEqual({ changes: 1, lastInsertRowid: 3 });
    expect(database.prepare("UPDATE t SET name = ?").run("d")).toMatchObject({ changes: 3 });
    expect(database.prepare("DELETE FROM t WHERE id > 1 RETURNING id").all()).toEqual([{ id: 2 }, { id: 3 }]);
  });

  test("a read that is left half-way holds nothing", () => {
    const database = open();
    database.exec("CREATE TABLE t (a)");
    database.exec(
      "INSERT INTO t SELECT value FROM json_each('[' || substr(replace(hex(zeroblob(500)), '00', ',1'), 2) || ']')",
    );
    const [first] = database.prepare<{ a: number }>("SELECT a FROM t").iterate();
    expect(first).toEqual({ a: 1 });
    expect(() => database.exec("DROP TABLE t")).not.toThrow();
  });

  test("a transaction is kept whole, or not at all", () => {
    const database = open();
    database.exec("CREATE TABLE t (a UNIQUE)");
    const insert = database.prepare("INSERT INTO t VALUES (?)");
    const count = database.prepare<{ n: number }>("SELECT count(*) AS n FROM t");
    expect(database.transaction(() => insert.run(1).changes)).toBe(1);
    const addTwice = () => [insert.run(2), insert.run(2)];
    expect(() => database.transaction(addTwice)).toThrow("UNIQUE");
    expect(count.get()).toEqual({ n: 1 });
    expect(database.transaction(() => insert.run(2).changes)).toBe(1);
  });

  test("foreign keys are enforced", () => {
    const database = open();
    database.exec("CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE c (p REFERENCES p(id))");
    expect(() => database.exec("INSERT INTO c VALUES (7)")).toThrow("FOREIGN KEY");
  });

  test("a contentless full-text table finds, ranks and deletes", () => {
    const database = open();
    database.exec("CREATE VIRTUAL TABLE f USING fts5(prompt, output, content='', contentless_delete=1)");
    const insert = database.prepare("INSERT INTO f (rowid, prompt, output) VALUES (?, ?, ?)");
    insert.run(1, "the lock is stale", "nothing");
    insert.run(2, "nothing", "a lock, a lock and many other words that make it long");
    insert.run(3, "other", "other");
    const find = database.prepare(
      "SELECT rowid AS id, bm25(f, 10.0, 1.0) < 0 AS ranked FROM f WHERE f MATCH ? ORDER BY bm25(f, 10.0, 1.0)",
    );
    expect(find.all("lock")).toEqual([
      { id: 1, ranked: 1 },
      { id: 2, ranked: 1 },
    ]);
    database.exec("DELETE FROM f WHERE rowid = 1");
    expect(find.all("lo*")).toEqual([{ id: 2, ranked: 1 }]);
  });

  test("read-only reads, and refuses to write or to create", () => {
    const path = join(tempDir(), "a.db");
    open(path).exec("CREATE TABLE t (a); INSERT INTO t VALUES (1)");
    const reader = open(path, { readonly: true });
    expect(reader.prepare("SELECT a FROM t").get()).toEqual({ a: 1 });
    expect(() => reader.exec("INSERT INTO t VALUES (2)")).toThrow("readonly");
    expect(() => open(`${path}2`, { readonly: true })).toThrow(expect.objectContaining({ code: "not-found" }));
    expect(existsSync(`${path}2`)).toBe(false);
  });

  test("a file that is no database is told apart", () => {
    const path = join(tempDir(), "a.db");
    writeFileSync(path, "not a database, though long enough to be one. ".repeat(200));
    const error = caught(() => open(path));
    expect([isCorrupt(error), isBusy(error)]).toEqual([true, false]);
  });

  test("a damaged database is told apart", () => {
    const path = join(tempDir(), "a.db");
    const writer = open(path);
    writer.exec("CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(50000)), (zeroblob(50000))");
    writer.close();
    truncateSync(path, readFileSync(path).length / 2);
    const error = caught(() => open(path).prepare("SELECT sum(length(hex(a))) FROM t").all());
    expect([isCorrupt(error), isBusy(error)]).toEqual([true, false]);
  });

  test("a database that another connection holds is told apart", () => {
    const path = join(tempDir(), "a.db");
    open(path).exec("BEGIN IMMEDIATE");
    const second = open(path);
    second.exec("PRAGMA busy_timeout = 1");
    const error = caught(() => second.transaction(() => 1));
    expect([isCorrupt(error), isBusy(error)]).toEqual([false, true]);
  });

  test("an error of another kind is neither busy nor corrupt", () => {
    const error = caught(() => open().exec("SELEC"));
    expect([isCorrupt(error), isBusy(error), isBusy(undefined), isCorrupt("x")]).toEqual([false, false, false, false]);
  });

  test("a path that cannot be opened is a clear error", () => {
    expect(() => open(join(tempDir(), "missing", "a.db"))).toThrow(
      expect.objectContaining({ name: "UserError", code: "unreadable", message: expect.stringContaining("missing") }),
    );
  });

  test("only its owner may read a new database and what lies beside it", () => {
    const path = join(tempDir(), "a.db");
    open(path).exec("CREATE TABLE t (a)");
    const modes = ["", "-wal"].map((end) => statSync(path + end).mode & 0o777);
    expect(modes).toEqual([0o600, 0o600]);
  });

  test("closing twice is fine", () => {
    const database = open();
    database.close();
    expect(() => database.close()).not.toThrow();
    expect(() => database.prepare("SELECT 1")).toThrow("not open");
  });

  test("processes that open and write at the same time wait for each other, and say nothing", async () => {
    const script = `
      const { openDatabase } = await import(store + "/sqlite.js");
      const database = openDatabase(process.env.DATABASE);
      database.exec("CREATE TABLE IF NOT EXISTS t (a)");
      const insert = database.prepare("INSERT INTO t VALUES (?)");
      for (let i = 0; i < 50; i++) database.transaction(() => insert.run(i));
    `;
    const path = join(tempDir(), "a.db");
    const writers = Array.from({ length: 5 }, () => finish(startStoreProcess(script, { DATABASE: path })));
    const quiet = { code: 0, signal: null, stdout: "", stderr: "" };
    expect(await Promise.all(writers)).toEqual(writers.map(() => quiet));
    expect(open(path).prepare("SELECT count(*) AS n FROM t").get()).toEqual({ n: 250 });
  });
});

test.each(ENGINES)("what libsql wrote, %s reads, full-text index included", (engine) => {
  const path = join(tempDir(), "a.db");
  vi.stubEnv("TURNLOG_SQLITE", "libsql");
  onTestFinished(() => void vi.unstubAllEnvs());
  const writer = open(path);
  writer.exec("CREATE TABLE t (a, b); CREATE VIRTUAL TABLE f USING fts5(x, content='', contentless_delete=1)");
  writer.prepare("INSERT INTO t VALUES (?, ?)").run(2n ** 60n, new Uint8Array([1, 2]));
  writer.prepare("INSERT INTO f (rowid, x) VALUES (?, ?)").run(42, "written elsewhere");
  vi.stubEnv("TURNLOG_SQLITE", engine);
  const reader = open(path);
  expect([writer.engine, reader.engine]).toEqual(["libsql", engine]);
  expect(reader.prepare("SELECT a, b FROM t").get()).toEqual({ a: 2n ** 60n, b: new Uint8Array([1, 2]) });
  expect(reader.prepare("SELECT rowid FROM f WHERE f MATCH 'elsewhere'").get()).toEqual({ rowid: 42 });
});
