import {
  appendFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import type { FileProblem } from "../../../src/format/layout/folder-listing.js";
import { archiveSize, listArchived } from "../../../src/library/archive/archive.js";
import { openArchived } from "../../../src/library/archive/open-archived.js";
import { applyRetention, updateArchive } from "../../../src/library/archive/update-archive.js";
import { openArchive } from "../../../src/library/found-session.js";
import { findSessions } from "../../../src/library/sources/find-sessions.js";
import { ensureDataDir } from "../../../src/store/data-dir.js";
import { tryLock } from "../../../src/store/lock.js";
import { changeMarks } from "../../../src/store/user-db.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { runs } from "../../runs.js";

const ID = "5b0c7d1e-9a34-4f6b-8c2d-1e0f3a4b5c6d";
const OTHER = "6b0c7d1e-9a34-4f6b-8c2d-1e0f3a4b5c6d";
const NAME = `projects/-srv-shop/${ID}.jsonl`;
const DAY_MS = 86_400_000;

let root: string;
let dataDir: string;
beforeEach(() => {
  root = temporaryFolder({ [NAME]: "first\n", [`projects/-srv-shop/${ID}/tool-results/a.txt`]: "spilled" });
  dataDir = temporaryFolder();
});

const file = () => join(root, NAME);
const archive = () => openArchive(dataDir);
const keep = (retention = {}, problems: FileProblem[] = []) =>
  updateArchive(dataDir, findSessions([root]).sessions, retention, problems);

function copyOf(id = ID) {
  const copy = listArchived(archive()).find((session) => session.id === id);
  if (!copy) throw new Error("not archived");
  return copy;
}

const dataFile = (at = 0) => join(copyOf().folder, copyOf().files[at]?.data ?? "");
const unpacked = () => readFileSync(openArchived(copyOf()), "latin1");

test("appended bytes cost only themselves: what was packed stays as it was", () => {
  keep();
  const before = readFileSync(dataFile());
  appendFileSync(file(), "second\n");
  keep();
  const after = readFileSync(dataFile());
  expect(after.subarray(0, before.length).equals(before)).toBe(true);
  expect(after.length).toBeGreaterThan(before.length);
  expect(unpacked()).toBe("first\nsecond\n");
});

test("an unchanged session is not written again", async () => {
  await sleep(60); // so soon after a change another one could leave the same times
  keep();
  const manifest = join(copyOf().folder, "manifest.json");
  const { ino, mtimeMs } = statSync(manifest);
  keep();
  expect(statSync(manifest)).toMatchObject({ ino, mtimeMs });
});

test("any gunzip reads a copy", () => {
  keep();
  appendFileSync(file(), "second\n");
  keep();
  expect(gunzipSync(readFileSync(dataFile())).toString()).toBe("first\nsecond\n");
});

test("side files come along in their places", () => {
  keep();
  const side = openArchived(copyOf()).replace(/\.jsonl$/, "");
  expect(readFileSync(join(side, "tool-results/a.txt"), "utf8")).toBe("spilled");
});

test("what vanished beside a session that is still there stays in the archive", () => {
  keep();
  rmSync(join(root, `projects/-srv-shop/${ID}`), { recursive: true });
  appendFileSync(file(), "more\n");
  keep();
  expect(copyOf().files).toHaveLength(2);
});

test.each([
  { what: "cut", change: () => truncateSync(file(), 3), now: "fir" },
  { what: "rewritten in place", change: () => writeFileSync(file(), "FIRST\nand more\n"), now: "FIRST\nand more\n" },
])("a file that was $what is copied anew, and its former copy is kept", ({ change, now }) => {
  keep();
  change();
  keep();
  expect(unpacked()).toBe(now);
  expect(copyOf().former).toMatchObject([{ name: NAME, rawLength: 6 }]);
});

test("an edit in place far from both ends, followed by an append, is a new copy", () => {
  const far = "x".repeat(9000);
  writeFileSync(file(), `${far}old${far}`);
  keep();
  writeFileSync(file(), `${far}new${far}more`);
  keep();
  expect(unpacked()).toBe(`${far}new${far}more`);
  expect(copyOf().former).toMatchObject([{ name: NAME, rawLength: 18_003 }]);
});

test("a copy from an older turnlog, without a digest, is continued", () => {
  keep();
  const manifest = join(copyOf().folder, "manifest.json");
  const text = readFileSync(manifest, "utf8").replaceAll(/,\s*"(digest|ctimeMs)": [^,}]*/g, "");
  writeFileSync(manifest, text);
  expect(copyOf().files[0]).not.toHaveProperty("digest");
  appendFileSync(file(), "second\n");
  keep();
  expect(copyOf().former).toEqual([]);
  expect(unpacked()).toBe("first\nsecond\n");
});

test("a file that only moved to another inode is not copied again", () => {
  keep();
  const bytes = readFileSync(file());
  rmSync(file());
  writeFileSync(join(root, "spare"), ""); // takes the free inode
  writeFileSync(file(), Buffer.concat([bytes, Buffer.from("more\n")]));
  keep();
  expect(copyOf().former).toEqual([]);
  expect(unpacked()).toBe("first\nmore\n");
});

test("a torn end of a copy is cut off by the next run", () => {
  keep();
  appendFileSync(dataFile(), "half a mem");
  expect(unpacked()).toBe("first\n");
  appendFileSync(file(), "second\n");
  keep();
  expect(unpacked()).toBe("first\nsecond\n");
});

test("a copy that lost its end is made anew while the session is there", () => {
  keep();
  truncateSync(dataFile(), 5);
  appendFileSync(file(), "second\n");
  keep();
  expect(unpacked()).toBe("first\nsecond\n");
});

test("a damaged copy is a clear error", () => {
  keep();
  const bytes = readFileSync(dataFile());
  bytes[bytes.length - 6] = (bytes.at(-6) ?? 0) ^ 0xff;
  writeFileSync(dataFile(), bytes);
  expect(() => openArchived(copyOf())).toThrow(expect.objectContaining({ name: "UserError", code: "unreadable" }));
});

test("one session that cannot be kept does not stop the others", () => {
  writeFileSync(join(root, `projects/-srv-shop/${OTHER}.jsonl`), "other\n");
  const [first, second] = findSessions([root]).sessions;
  rmSync(file());
  const problems: FileProblem[] = [];
  updateArchive(
    dataDir,
    [first, second].flatMap((session) => session ?? []),
    {},
    problems,
  );
  expect(listArchived(archive()).map(({ id }) => id)).toEqual([OTHER]);
});

test("whatever is appended, cut or replaced, the copy equals the file", () => {
  const change = fc.oneof(
    fc.string({ maxLength: 40 }).map((text) => () => appendFileSync(file(), text)),
    fc.nat({ max: 60 }).map((length) => () => truncateSync(file(), Math.min(length, statSync(file()).size))),
    fc.string({ maxLength: 40 }).map((text) => () => writeFileSync(file(), text)),
  );
  fc.assert(
    fc.property(fc.array(change, { maxLength: 6 }), (changes) => {
      for (const apply of changes) {
        apply();
        keep();
        expect(unpacked()).toBe(readFileSync(file(), "latin1"));
      }
    }),
    runs(25),
  );
});

describe("retention", () => {
  /** Two sessions that the client deleted, the second the newer one. */
  beforeEach(() => {
    const second = join(root, `projects/-srv-shop/${OTHER}.jsonl`);
    writeFileSync(second, "other\n");
    utimesSync(file(), new Date(Date.now() - 40 * DAY_MS), new Date(Date.now() - 40 * DAY_MS));
    utimesSync(second, new Date(Date.now() - 10 * DAY_MS), new Date(Date.now() - 10 * DAY_MS));
    keep();
    rmSync(join(root, "projects/-srv-shop"), { recursive: true });
  });

  const ids = () => listArchived(archive()).map(({ id }) => id);

  test("without settings keeps everything", () => {
    expect(keep()?.dropped).toEqual({ sessions: 0, bytes: 0 });
    expect(ids()).toEqual([ID, OTHER]);
  });

  test("drops deleted sessions after their days", () => {
    expect(keep({ keepDays: 30 })?.dropped).toMatchObject({ sessions: 1 });
    expect(ids()).toEqual([OTHER]);
  });

  test("drops the oldest until the size fits", () => {
    keep({ maxBytes: archiveSize(archive()) - 1 });
    expect(ids()).toEqual([OTHER]);
  });

  test.each([{ favourite: true }, { tags: ["keep"] }])("never drops what is marked: %j", (mark) => {
    changeMarks(dataDir, ID, (marks) => ({ ...marks, ...mark }));
    keep({ keepDays: 1, maxBytes: 1 });
    expect(ids()).toEqual([ID]);
  });

  test("drops nothing while user.db cannot be read", () => {
    writeFileSync(join(dataDir, "user.db"), "no database ".repeat(500));
    const problems: FileProblem[] = [];
    keep({ keepDays: 1 }, problems);
    expect(ids()).toEqual([ID, OTHER]);
    expect(problems).toHaveLength(1);
  });

  test("drops nothing of a root that is away", () => {
    rmSync(root, { recursive: true });
    applyRetention(archive(), { keepDays: 1, maxBytes: 1 }, new Set());
    expect(ids()).toEqual([ID, OTHER]);
  });

  test("never drops the copy of a session that is there", () => {
    const back = temporaryFolder({ [NAME]: "first\n" });
    updateArchive(dataDir, findSessions([back]).sessions, {});
    applyRetention(archive(), { maxBytes: 1 }, new Set());
    expect(listArchived(archive()).map(({ root: own }) => own)).toEqual([back]);
  });

  test("drops former copies first", () => {
    const own = temporaryFolder({ [NAME]: "first\n" });
    const archiveOwn = () => updateArchive(dataDir, findSessions([own]).sessions, {});
    archiveOwn();
    const whole = archiveSize(archive());
    writeFileSync(join(own, NAME), "another text of the same session\n".repeat(9));
    archiveOwn();
    applyRetention(archive(), { maxBytes: whole + 60 }, new Set());
    const copies = listArchived(archive());
    expect(copies).toHaveLength(3);
    expect(copies.flatMap(({ former }) => former)).toEqual([]);
    const kept = copies.find((copy) => copy.root === own);
    expect(readdirSync(kept?.folder ?? "").sort()).toEqual(["1.gz", "manifest.json"]);
  });
});

test("what another process is archiving is left to it", () => {
  const lock = tryLock(join(ensureDataDir(dataDir, "locks"), "archive.lock"), { purpose: "archiving" });
  expect(keep()).toBeUndefined();
  lock?.release();
  expect(keep()?.dropped).toEqual({ sessions: 0, bytes: 0 });
});
