import { appendFileSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openAppender } from "../../../src/format/writer/append.js";
import { temporaryFolder } from "../temporary-folder.js";
import { faultyFileOps } from "./faulty-file-ops.js";

function appenderOn(text: string) {
  const path = join(temporaryFolder({ "session.jsonl": text }), "session.jsonl");
  const disk = faultyFileOps();
  return { path, disk, appender: openAppender(path, { ops: disk }), contents: () => readFileSync(path, "utf8") };
}

describe("short writes", () => {
  test.each([1, 2, 3, 7, 8, 9, 100])("of %i bytes are continued where they ended", async (largestWrite) => {
    const { disk, appender, contents } = appenderOn("cut");
    disk.largestWrite = largestWrite;
    expect(await appender.append({ n: 1 })).toEqual({ offset: 4, length: 7 });
    expect(await appender.append({ n: "中" })).toEqual({ offset: 12, length: 11 });
    expect(contents()).toBe('cut\n{"n":1}\n{"n":"中"}\n');
  });

  test.each(["beforeWrite", "afterWrite"] as const)(
    "that another writer tears apart (%s the rest) leave a fragment and the whole line",
    async (moment) => {
      const { path, disk, appender, contents } = appenderOn("");
      disk.space = 4;
      await expect(appender.append({ n: 1 })).rejects.toThrow("ENOSPC");
      disk.space = Number.POSITIVE_INFINITY;
      disk.largestWrite = 2;
      disk[moment] = () => appendFileSync(path, '{"foreign":1}\n');
      await appender.flush();
      expect(
        contents()
          .split("\n")
          .filter((line) => line === '{"n":1}'),
      ).toHaveLength(1);
    },
  );
});

describe("a full disk", () => {
  test.each([0, 1, 5, 8, 9, 15])("after %i bytes keeps the lines and loses or doubles nothing", async (space) => {
    const { disk, appender, contents } = appenderOn("{}\n");
    disk.space = space;
    const outcomes = await Promise.allSettled([1, 2, 3].map((n) => appender.append({ n })));
    expect(outcomes.at(-1)).toMatchObject({ status: "rejected", reason: { name: "StalledError", code: "ENOSPC" } });
    expect(appender.status).toMatchObject({ state: "stalled", queuedLines: 3 - Math.floor(space / 8) });
    disk.space = Number.POSITIVE_INFINITY;
    await appender.flush();
    expect(contents()).toBe('{}\n{"n":1}\n{"n":2}\n{"n":3}\n');
    expect(appender.status).toMatchObject({ state: "open", error: null, queuedLines: 0 });
  });

  test("is tried again by the next append, which joins what waited into one write", async () => {
    const { disk, appender } = appenderOn("");
    disk.space = 0;
    await Promise.allSettled([1, 2].map((n) => appender.append({ n })));
    disk.space = Number.POSITIVE_INFINITY;
    expect(await appender.append({ n: 3 })).toEqual({ offset: 16, length: 7 });
    expect(disk.writes.at(-1)).toBe('{"n":1}\n{"n":2}\n{"n":3}\n');
  });

  test("never makes one write of more than a megabyte out of several lines", async () => {
    const { disk, appender } = appenderOn("");
    const line = JSON.stringify({ text: "x".repeat(600_000) });
    disk.space = 0;
    await Promise.allSettled([line, line, `[${"1,".repeat(700_000)}1]`].map((text) => appender.append(text)));
    disk.space = Number.POSITIVE_INFINITY;
    disk.writes.length = 0;
    await appender.flush();
    expect(disk.writes.map(({ length }) => length)).toEqual([600_012, 600_012, 1_400_004]);
  });

  test("keeps the appender open until its lines are out", async () => {
    const { disk, appender, contents } = appenderOn("");
    disk.space = 3;
    await expect(appender.append({ n: 1 })).rejects.toThrow("ENOSPC");
    await expect(appender.close()).rejects.toThrow("ENOSPC");
    disk.space = Number.POSITIVE_INFINITY;
    await appender.close();
    expect(contents()).toBe('{"n":1}\n');
    expect(disk.counts.opened).toBe(disk.counts.closed);
  });

  test("and a file that vanished meanwhile: the whole line is in the new one", async () => {
    const { path, disk, appender, contents } = appenderOn("");
    disk.space = 3;
    await expect(appender.append({ n: 1 })).rejects.toThrow("ENOSPC");
    rmSync(path);
    disk.space = Number.POSITIVE_INFINITY;
    await appender.flush();
    expect(contents()).toBe('{"n":1}\n');
  });

  test("that lacks only the newline's byte has the line, so it is not written again", async () => {
    const { path, disk, appender, contents } = appenderOn("");
    disk.space = 7;
    await expect(appender.append({ n: 1 })).rejects.toThrow("ENOSPC");
    appendFileSync(path, '\n{"foreign":1}\n');
    disk.space = Number.POSITIVE_INFINITY;
    await appender.flush();
    expect(contents()).toBe('{"n":1}\n{"foreign":1}\n');
    expect(appender.status.queuedLines).toBe(0);
  });
});

describe("a failing disk", () => {
  test.each(["write", "stat", "open"] as const)("at %s stalls, and a new descriptor goes on", async (call) => {
    const { path, disk, appender, contents } = appenderOn("");
    rmSync(path);
    disk.failingCall = call;
    await expect(appender.append({ n: 1 })).rejects.toMatchObject({ code: "EIO", queuedLines: 1 });
    disk.failingCall = null;
    await appender.flush();
    expect(contents()).toBe('{"n":1}\n');
    expect(disk.counts.opened).toBeGreaterThan(1);
  });

  test.each(["fstat", "read", "close"] as const)("at %s after the write does not double the line", async (call) => {
    const { path, disk, appender, contents } = appenderOn("");
    disk.afterWrite = () => {
      appendFileSync(path, "{}\n");
      disk.failingCall = call;
    };
    await appender.append({ n: 1 });
    disk.failingCall = null;
    await appender.append({ n: 2 });
    expect(contents()).toBe('{"n":1}\n{}\n{"n":2}\n');
    expect(appender.status.foreignGrowths).toBe(1);
  });
});
