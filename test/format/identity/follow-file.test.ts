import { execFileSync } from "node:child_process";
import { appendFileSync, mkdtempSync, renameSync, rmSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { UserError } from "../../../src/errors.js";
import {
  type Cursor,
  type Follower,
  type FollowOptions,
  type FollowResult,
  openFollower,
} from "../../../src/format/identity/follow-file.js";
import { parseRecords } from "../../../src/format/reader/record-reader.js";
import type { LogRecord } from "../../../src/format/record/record.js";
import { anySmallCorpusFile } from "../../builders/corpus-bytes.js";
import { damaged } from "../../builders/damaged-bytes.js";
import { cutAnywhere } from "../../builders/in-pieces.js";
import { runs } from "../../runs.js";

const folder = mkdtempSync(join(tmpdir(), "turnlog-follow-"));
const path = join(folder, "session.jsonl");
const line = (uuid: string): string => `${JSON.stringify({ type: "user", uuid, message: { content: "é😀" } })}\n`;
const uuids = ({ records }: FollowResult): (string | undefined)[] =>
  records.map((record) => (record.kind === "broken" ? undefined : record.uuid));

function follow(cursor?: Cursor, options?: FollowOptions): Follower {
  return openFollower(path, cursor, options);
}

/** A follower that has read lines a and b. */
function followTwoLines(): Follower {
  writeFileSync(path, line("a") + line("b"));
  const follower = follow();
  follower.poll();
  return follower;
}

/** A file with a new inode takes the name, as rsync and Claude Code's trim do it. */
function replaceBy(text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

/** As another process finds the cursor that this one wrote down. */
function wokenUp(follower: Follower): Follower {
  follower.close();
  return follow(JSON.parse(JSON.stringify(follower.cursor)) as Cursor);
}

function followWhileGrowing(pieces: readonly Buffer[], isWoken: boolean, options: FollowOptions): LogRecord[] {
  writeFileSync(path, "");
  let follower = follow(undefined, options);
  const records: LogRecord[] = [];
  for (const piece of pieces) {
    appendFileSync(path, piece);
    records.push(...pollToTheEnd(follower).flatMap((result) => result.records));
    if (isWoken) follower = wokenUp(follower);
  }
  follower.close();
  return records;
}

function pollToTheEnd(follower: Follower): FollowResult[] {
  const result = follower.poll();
  return result.isMore ? [result, ...pollToTheEnd(follower)] : [result];
}

beforeEach(() => rmSync(path, { force: true }));
afterAll(() => rmSync(folder, { recursive: true }));

describe("following a file", () => {
  test("gives each line once, as soon as it is complete", () => {
    writeFileSync(path, line("a") + line("b").slice(0, 20));
    const follower = follow();
    expect(uuids(follower.poll())).toEqual(["a"]);
    expect(uuids(follower.poll())).toEqual([]);
    appendFileSync(path, line("b").slice(20) + line("c"));
    const result = follower.poll();
    expect(uuids(result)).toEqual(["b", "c"]);
    expect(result.records.map((record) => record.line)).toEqual([2, 3]);
    follower.close();
  });

  test.each([
    ["half a line", line("b").slice(0, 20), { bytes: 20, isReadable: false }],
    ["a line without its newline", line("b").trimEnd(), { bytes: Buffer.byteLength(line("b")) - 1, isReadable: true }],
    ["blanks", "  ", { bytes: 2, isReadable: false }],
    ["nothing", "", undefined],
  ])("tells about a tail of %s without consuming it", (_, tail, expected) => {
    writeFileSync(path, line("a") + tail);
    const follower = follow();
    expect(follower.poll().tail).toEqual(expected);
    expect(follower.poll()).toMatchObject({ records: [], tail: expected });
    expect(follower.cursor.offset).toBe(Buffer.byteLength(line("a")));
    follower.close();
  });

  test("reads a tail anew that was cut off and written differently", () => {
    writeFileSync(path, `${line("a")}{"type":"us`);
    const follower = follow();
    follower.poll();
    writeFileSync(path, line("a") + line("b"));
    expect(follower.poll()).toMatchObject({ records: [{ uuid: "b" }], restarted: undefined });
    follower.close();
  });

  test("gives the same records as reading at once, however the file grows", () => {
    const growing = cutAnywhere(fc.oneof(anySmallCorpusFile(), damaged(anySmallCorpusFile())));
    const property = fc.property(growing, fc.boolean(), fc.integer({ min: 1, max: 5000 }), (file, isWoken, budget) => {
      const pieces = [...file.pieces, Buffer.from("\n")];
      expect(followWhileGrowing(pieces, isWoken, { budgetBytes: budget })).toEqual(parseRecords(Buffer.concat(pieces)));
    });
    fc.assert(property, runs(40));
  });

  test("takes lines of two writers as they come", () => {
    const follower = followTwoLines();
    appendFileSync(path, line("mine"));
    appendFileSync(path, line("theirs"));
    expect(uuids(follower.poll())).toEqual(["mine", "theirs"]);
    follower.close();
  });

  test("stops when its budget is used up, but never before a whole line", () => {
    writeFileSync(path, line("a") + line("b") + line("c"));
    const follower = follow(undefined, { budgetBytes: 10 });
    const results = pollToTheEnd(follower);
    expect(results.map(uuids)).toEqual([["a"], ["b"], ["c"]]);
    expect(results.map(({ isMore }) => isMore)).toEqual([true, true, false]);
    follower.close();
  });

  test("abridges a line over the limit", () => {
    writeFileSync(path, `${JSON.stringify({ type: "user", text: "x".repeat(9000), uuid: "a" })}\n`);
    const follower = follow(undefined, { maxLineBytes: 5000 });
    expect(follower.poll().records).toMatchObject([{ uuid: "a", isAbridged: true }]);
    follower.close();
  });
});

describe("a followed file that changes in other ways", () => {
  test.each([
    ["in the same process", (follower: Follower) => follower],
    ["in another process", wokenUp],
  ])("is read again from its start when it shrinks, %s", (_, goOn) => {
    const follower = goOn(followTwoLines());
    truncateSync(path, Buffer.byteLength(line("a")));
    const result = follower.poll();
    expect(result.restarted).toBe("truncated");
    expect(uuids(result)).toEqual(["a"]);
    expect(follower.poll()).toMatchObject({ records: [], restarted: undefined });
    follower.close();
  });

  test.each([
    ["in the same process", (follower: Follower) => follower],
    ["in another process", wokenUp],
  ])("is read again when a file with other bytes takes its name, %s", (_, goOn) => {
    const follower = goOn(followTwoLines());
    replaceBy(line("a") + line("x") + line("c"));
    const result = follower.poll();
    expect(result.restarted).toBe("replaced");
    expect(uuids(result)).toEqual(["a", "x", "c"]);
    follower.close();
  });

  test.each([
    ["in the same process", (follower: Follower) => follower],
    ["in another process", wokenUp],
  ])("is continued when a file with the same bytes takes its name, %s", (_, goOn) => {
    const follower = goOn(followTwoLines());
    replaceBy(line("a") + line("b") + line("c"));
    expect(follower.poll()).toMatchObject({ records: [{ uuid: "c", line: 3 }], restarted: undefined });
    follower.close();
  });

  test.each([
    ["its beginning differs", line("x") + line("b") + line("c")],
    ["a line no longer ends where reading stopped", line("a") + line("b2") + line("c")],
  ])("is read again when it was written anew and %s", (_, text) => {
    const follower = followTwoLines();
    writeFileSync(path, text);
    const result = follower.poll();
    expect(result.restarted).toBe("replaced");
    expect(result.records).toHaveLength(3);
    follower.close();
  });

  test.each([
    ["in the same process", (follower: Follower) => follower],
    ["in another process", wokenUp],
  ])("is read again after an edit in its middle that keeps all lengths, %s", (_, goOn) => {
    const filler = `${line("a")}${line("f").repeat(2000)}`;
    writeFileSync(path, `${filler}${line("old")}${filler}`);
    const first = follow();
    first.poll();
    const follower = goOn(first);
    writeFileSync(path, `${filler}${line("new")}${filler}${line("appended")}`);
    const result = follower.poll();
    expect(result.restarted).toBe("replaced");
    expect(uuids(result)).toContain("new");
    follower.close();
  });

  test("is read again after a line was taken out in place and others were written, whatever its size is now", () => {
    const follower = followTwoLines();
    truncateSync(path, Buffer.byteLength(line("a")));
    appendFileSync(path, line("c") + line("d"));
    expect(follower.poll()).toMatchObject({ restarted: "replaced", records: [{ uuid: "a" }, { uuid: "c" }, {}] });
    follower.close();
  });

  test("is the same when only its times changed, also when they were set back", () => {
    const follower = followTwoLines();
    utimesSync(path, 1000, 1000);
    expect(follower.poll()).toMatchObject({ records: [], restarted: undefined });
    follower.close();
  });

  test("is read again after an edit that kept size and time", () => {
    writeFileSync(path, line("a"));
    utimesSync(path, 1000, 1000);
    const follower = follow();
    follower.poll();
    writeFileSync(path, line("b"));
    utimesSync(path, 1000, 1000);
    expect(follower.poll()).toMatchObject({ records: [{ uuid: "b" }], restarted: "replaced" });
    follower.close();
  });

  test("is read from its start after it was emptied", () => {
    const follower = followTwoLines();
    writeFileSync(path, "");
    expect(follower.poll()).toMatchObject({ records: [], restarted: "truncated" });
    appendFileSync(path, line("c"));
    expect(follower.poll()).toMatchObject({ records: [{ uuid: "c", line: 1 }], restarted: undefined });
    follower.close();
  });

  test("is not read on in another file that takes its name in the middle of a long reading", () => {
    writeFileSync(path, line("a") + line("b") + line("c"));
    const follower = follow(undefined, { budgetBytes: 10 });
    follower.poll();
    replaceBy(line("x") + line("y"));
    expect(follower.poll()).toMatchObject({ records: [{ uuid: "x" }], restarted: "replaced" });
    follower.close();
  });

  test("says whether a tail is unchanged, and which records complete it", () => {
    writeFileSync(path, line("a") + line("b").trimEnd());
    const first = follow();
    first.poll();
    const follower = wokenUp(first);
    expect(follower.poll()).toMatchObject({ records: [], isTailKept: true, fromTail: 0 });
    appendFileSync(path, `\n${line("c")}`);
    expect(follower.poll()).toMatchObject({ records: [{ uuid: "b" }, { uuid: "c" }], fromTail: 1 });
    follower.close();
  });

  test("completes no tail that was written differently", () => {
    writeFileSync(path, line("a") + line("b").trimEnd());
    const follower = follow();
    follower.poll();
    writeFileSync(path, line("a") + line("x") + line("c"));
    expect(follower.poll()).toMatchObject({ records: [{ uuid: "x" }, { uuid: "c" }], fromTail: 0 });
    follower.close();
  });

  test("is reported missing when it was deleted, and what was written before is still read", () => {
    const follower = followTwoLines();
    appendFileSync(path, line("c"));
    rmSync(path);
    expect(follower.poll()).toMatchObject({ records: [{ uuid: "c" }], isMissing: true, restarted: undefined });
    expect(follower.cursor.line).toBe(4);
    follower.close();
  });

  test.each([
    ["continued when it comes back with the same beginning", line("a") + line("b") + line("c"), undefined, ["c"]],
    ["read from its start when it comes back different", line("x") + line("b"), "replaced", ["x", "b"]],
  ])("is %s", (_, text, restarted, expected) => {
    const follower = followTwoLines();
    rmSync(path);
    follower.poll();
    writeFileSync(path, text);
    const result = follower.poll();
    expect(result).toMatchObject({ isMissing: false, restarted });
    expect(uuids(result)).toEqual(expected);
    follower.close();
  });

  test("may not exist yet", () => {
    const follower = follow();
    expect(follower.poll()).toMatchObject({ records: [], isMissing: true, restarted: undefined });
    writeFileSync(path, line("a"));
    expect(follower.poll()).toMatchObject({ records: [{ uuid: "a" }], isMissing: false, restarted: undefined });
    follower.close();
  });

  test("must be a file", () => {
    expect(() => openFollower(folder).poll()).toThrow(UserError);
  });

  test("is refused, and not waited for, when a pipe takes its place", () => {
    const follower = followTwoLines();
    rmSync(path);
    execFileSync("mkfifo", [path]);
    expect(() => follower.poll()).toThrow(UserError);
    follower.close();
  });
});
