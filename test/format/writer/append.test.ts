import {
  appendFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { UserError } from "../../../src/errors.js";
import { type AppenderOptions, openAppender } from "../../../src/format/writer/append.js";
import { temporaryFolder } from "../temporary-folder.js";
import { faultyFileOps } from "./faulty-file-ops.js";

function sessionFile(text?: string): string {
  const folder = temporaryFolder(text === undefined ? {} : { "session.jsonl": text });
  return join(folder, "session.jsonl");
}

const contents = (path: string) => readFileSync(path, "utf8");
const modeOf = (path: string) => statSync(path).mode & 0o777;

function appenderOn(text: string | undefined, options: AppenderOptions = {}) {
  const path = sessionFile(text);
  const disk = faultyFileOps();
  return { path, disk, appender: openAppender(path, { ops: disk, ...options }) };
}

describe("a new session file", () => {
  test("is private, and so is the folder made for it", async () => {
    const path = join(temporaryFolder(), "projects", "-p", "session.jsonl");
    await openAppender(path).append({ type: "user" });
    expect(contents(path)).toBe('{"type":"user"}\n');
    expect(modeOf(path)).toBe(0o600);
    expect(modeOf(join(path, ".."))).toBe(0o700);
  });

  test("that cannot be opened is the person's to fix", () => {
    const path = join(sessionFile(""), "below-a-file.jsonl");
    expect(() => openAppender(path)).toThrow(UserError);
  });
});

describe("an appended line", () => {
  test("goes out in one write with its newline, and its place is returned in bytes", async () => {
    const { path, disk, appender } = appenderOn('{"é":1}\n');
    expect(await appender.append({ text: "中" })).toEqual({ offset: 9, length: 14 });
    expect(await appender.append('{"copied": "as it is"}')).toEqual({ offset: 24, length: 22 });
    expect(disk.writes).toEqual(['{"text":"中"}\n', '{"copied": "as it is"}\n']);
    expect(contents(path)).toBe('{"é":1}\n{"text":"中"}\n{"copied": "as it is"}\n');
  });

  test("is in the file before its promise resolves", () => {
    const { path, appender } = appenderOn("");
    void appender.append({ n: 1 });
    expect(contents(path)).toBe('{"n":1}\n');
  });

  test("keeps its order among many that nobody waited for", async () => {
    const { path, appender } = appenderOn("");
    const lines = Array.from({ length: 200 }, (_, n) => JSON.stringify({ n }));
    await Promise.all(lines.map((line) => appender.append(line)));
    expect(contents(path)).toBe(`${lines.join("\n")}\n`);
  });

  test.each([
    [{ text: "\ud83d" }, '{"text":"\\ud83d"}\n'],
    ['{"text":"\ud83d and 😀"}', '{"text":"\\ud83d and 😀"}\n'],
    [{ text: "two\nlines\u2028" }, '{"text":"two\\nlines\u2028"}\n'],
  ])("of %j keeps every character", async (record, line) => {
    const { path, appender } = appenderOn("");
    await appender.append(record);
    expect(contents(path)).toBe(line);
  });

  test.each([["two\nlines"], ["line\n"], [""], [{ toJSON: () => undefined }], [() => 1]])(
    "is refused when it is %j, and the file stays as it was",
    async (record) => {
      const { path, appender } = appenderOn("{}\n");
      await expect(appender.append(record)).rejects.toThrow(TypeError);
      expect(contents(path)).toBe("{}\n");
      expect(appender.status).toMatchObject({ state: "open", queuedLines: 0 });
    },
  );

  test("is refused after closing", async () => {
    const { appender, disk } = appenderOn("");
    await Promise.all([appender.close(), appender.close()]);
    await appender.close();
    await expect(appender.append({})).rejects.toThrow("closed");
    await expect(appender.sync()).rejects.toThrow("closed");
    expect(appender.status.state).toBe("closed");
    expect(disk.counts).toMatchObject({ opened: 1, closed: 1 });
  });
});

describe("a file whose last line lacks its newline", () => {
  test("gets it in the same write as the first new line", async () => {
    const { path, disk, appender } = appenderOn('{"cut');
    expect(await appender.append({ n: 1 })).toEqual({ offset: 6, length: 7 });
    await appender.append({ n: 2 });
    expect(disk.writes).toEqual(['\n{"n":1}\n', '{"n":2}\n']);
    expect(contents(path)).toBe('{"cut\n{"n":1}\n{"n":2}\n');
  });

  test("is left alone when nothing is appended", async () => {
    const { path, appender } = appenderOn('{"cut');
    await appender.close();
    expect(contents(path)).toBe('{"cut');
  });
});

describe("durability", () => {
  const datasyncsAfter = async (durability: AppenderOptions["durability"]) => {
    const { disk, appender } = appenderOn("", { durability });
    await appender.append({ n: 1 });
    const afterAppend = disk.counts.datasyncs;
    await appender.sync();
    await appender.sync();
    return [afterAppend, disk.counts.datasyncs];
  };

  test.each([
    ["always", [1, 1]],
    ["marked", [0, 1]],
    [undefined, [0, 1]],
    ["never", [0, 0]],
  ] as const)("%s: fdatasyncs after an append and after two sync calls are %j", async (durability, expected) => {
    expect(await datasyncsAfter(durability)).toEqual(expected);
  });

  test("always, of many lines at once, shares fdatasyncs", async () => {
    const { disk, appender } = appenderOn("", { durability: "always" });
    await Promise.all(Array.from({ length: 50 }, (_, n) => appender.append({ n })));
    expect(disk.counts.datasyncs).toBe(2);
  });

  test("that fails stalls the appender until a flush makes it good", async () => {
    const { disk, appender } = appenderOn("");
    await appender.append({ n: 1 });
    disk.failingCall = "datasync";
    await expect(appender.sync()).rejects.toMatchObject({ name: "StalledError", code: "EIO" });
    expect(appender.status).toMatchObject({ state: "stalled", queuedLines: 0 });
    disk.failingCall = null;
    await appender.flush();
    expect(appender.status).toMatchObject({ state: "open", error: null });
  });
});

describe("another writer", () => {
  test("is noticed with the range of its bytes, and our line stands behind", async () => {
    const onForeignGrowth = vi.fn();
    const { path, appender } = appenderOn("{}\n", { onForeignGrowth });
    await appender.append({ n: 1 });
    appendFileSync(path, '{"foreign":1}\n');
    expect(await appender.append({ n: 2 })).toEqual({ offset: 25, length: 7 });
    expect(onForeignGrowth.mock.calls).toEqual([[{ start: 11, end: 25 }]]);
    expect(appender.status).toMatchObject({ foreignGrowths: 1, lastForeignGrowth: { start: 11, end: 25 } });
    expect(contents(path)).toBe('{}\n{"n":1}\n{"foreign":1}\n{"n":2}\n');
  });

  test("that left a cut line gets its newline from us", async () => {
    const { path, disk, appender } = appenderOn("");
    appendFileSync(path, '{"foreign');
    await appender.append({ n: 1 });
    expect(disk.writes).toEqual(['\n{"n":1}\n']);
  });

  test.each([
    ["beforeWrite", 14, { start: 0, end: 14 }],
    ["afterWrite", 0, { start: 8, end: 22 }],
  ] as const)("in the very moment of our write (%s) is told apart from us", async (moment, offset, range) => {
    const onForeignGrowth = vi.fn();
    const { path, disk, appender } = appenderOn("", { onForeignGrowth });
    disk[moment] = () => appendFileSync(path, '{"foreign":1}\n');
    expect(await appender.append({ n: 1 })).toEqual({ offset, length: 7 });
    expect(onForeignGrowth.mock.calls).toEqual([[range]]);
  });

  test("may be answered with an append from within the callback", async () => {
    const { path, appender } = appenderOn("", { onForeignGrowth: () => void appender.append({ noted: true }) });
    appendFileSync(path, "{}\n");
    await appender.append({ n: 1 });
    expect(contents(path)).toBe('{}\n{"n":1}\n{"noted":true}\n');
  });
});

describe("a file that is no longer ours", () => {
  const replacements: Record<string, (path: string) => void> = {
    missing: (path) => rmSync(path),
    "other-file": (path) => {
      writeFileSync(`${path}.new`, "{}\n");
      renameSync(`${path}.new`, path);
    },
    shrunk: (path) => truncateSync(path, 3),
  };

  test.each([
    ["missing", '{"n":2}\n'],
    ["other-file", '{}\n{"n":2}\n'],
    ["shrunk", '{"n\n{"n":2}\n'],
  ])("because it is %s is written on at its path, and reported", async (reason, expected) => {
    const onReplaced = vi.fn();
    const { path, disk, appender } = appenderOn("", { onReplaced });
    await appender.append({ n: 1 });
    replacements[reason]?.(path);
    await appender.append({ n: 2 });
    await appender.close();
    expect(contents(path)).toBe(expected);
    expect(onReplaced.mock.calls).toEqual([[reason]]);
    expect(appender.status).toMatchObject({ replacements: 1, lastReplacement: reason });
    expect(disk.counts.opened).toBe(disk.counts.closed);
  });

  test("is not missed when it was moved away: the moved one keeps its lines", async () => {
    const { path, appender } = appenderOn("");
    await appender.append({ n: 1 });
    renameSync(path, `${path}.moved`);
    await appender.append({ n: 2 });
    expect(contents(`${path}.moved`)).toBe('{"n":1}\n');
    expect(existsSync(path)).toBe(true);
  });
});
