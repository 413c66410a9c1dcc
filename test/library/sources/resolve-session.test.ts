import { cpSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { FileProblem } from "../../../src/format/layout/folder-listing.js";
import { resolveSession } from "../../../src/library/sources/resolve-session.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { CORPUS } from "../../oracle/corpus-sessions.js";

const DENIED = "00000000-9a34-4f6b-8c2d-1e0f3a4b5c6d";

const read = vi.hoisted((): string[] => []);

/** One session that may not be read, even by root. */
vi.mock("../../../src/format/reader/record-reader.js", async (importOriginal) => {
  const original = await importOriginal<typeof import("../../../src/format/reader/record-reader.js")>();
  const readRecords: typeof original.readRecords = (path, ...rest) => {
    read.push(path);
    if (!path.includes(DENIED)) return original.readRecords(path, ...rest);
    throw Object.assign(new Error(`EACCES: permission denied, open '${path}'`), { code: "EACCES", syscall: "open" });
  };
  return { ...original, readRecords };
});

const INTERACTIVE = join(CORPUS, "2.1.325/interactive");
const PRINT = join(CORPUS, "2.1.325/print");
const FORKED = join(CORPUS, "2.1.45/interactive2");

test.each([
  ["its whole id", "611dbd00-3ef7-4482-9f54-be0d7ea83ed8", INTERACTIVE, "611dbd00"],
  ["its id in capitals", "611DBD00-3EF7-4482-9F54-BE0D7EA83ED8", INTERACTIVE, "611dbd00"],
  ["a unique beginning of its id", "611d", INTERACTIVE, "611dbd00"],
  ["two characters, if no other id begins with them", "61", INTERACTIVE, "611dbd00"],
  ["its exact title", "[[worktree]] please run worktree", PRINT, "4af57e2d"],
  ["`last`", "last", INTERACTIVE, "e921926e"],
])("a session is found by %s", (_how, name, root, id) => {
  expect(resolveSession(name, [root])).toContain(`/${id}-`);
});

test("a session is found by its path, from anywhere", () => {
  const path = join(INTERACTIVE, "projects/-home-dev-tproj/611dbd00-3ef7-4482-9f54-be0d7ea83ed8.jsonl");
  expect(resolveSession(path, [])).toBe(path);
});

test.each([
  ["an unknown name", "nothing like it", INTERACTIVE, /no session is called "nothing like it"/],
  ["a beginning that several ids share", "5", PRINT, /no session is called|names \d+ sessions/],
  ["a title that several sessions share", "my-custom-name", INTERACTIVE, /names 2 sessions/],
  ["a path that is not there", "./no/such.jsonl", INTERACTIVE, /no such file/],
  ["an empty name", "", INTERACTIVE, /empty/],
  ["any name where there are no sessions", "last", "/nowhere", /no sessions in/],
])("%s is a clear error", (_what, name, root, message) => {
  expect(() => resolveSession(name, [root])).toThrow(message);
});

/** As of another machine. */
function copyOf(root: string): string {
  const copy = temporaryFolder();
  cpSync(root, copy, { recursive: true });
  return copy;
}

test("a session that stands in two roots is not guessed", () => {
  const id = "81cb60fa-2719-4b12-a617-86535482ee49";
  expect(() => resolveSession(id, [FORKED, copyOf(FORKED)])).toThrow(/names 2 sessions/);
});

test("of a session in Claude Code's folder and in a source, the name is that of Claude Code's own copy", () => {
  const [own, other] = [FORKED, copyOf(FORKED)];
  const id = "81cb60fa-2719-4b12-a617-86535482ee49";
  expect(resolveSession(id, [other, own], [], { sources: new Map([[other, "desktop"]]) })).toContain(own);
});

test("a root that is named twice is searched once", () => {
  expect(resolveSession("81cb60fa", [FORKED, FORKED])).toContain("81cb60fa");
});

test.each(["81cb60fa-2719-4b12-a617-86535482ee49", "81cb60fa"])("%s in two roots is told apart by paths", (name) => {
  const path = expect.stringMatching(/^be more specific: \/.*81cb60fa[^,]*\.jsonl, \/.*\.jsonl$/);
  expect(() => resolveSession(name, [FORKED, copyOf(FORKED)])).toThrow(expect.objectContaining({ hint: path }));
});

describe("a session that cannot be read", () => {
  const GOOD = "5b0c7d1e-9a34-4f6b-8c2d-1e0f3a4b5c6d.jsonl";
  const line = { type: "custom-title", customTitle: "Readable" };

  function folderWithUnreadable(): string {
    return temporaryFolder({
      [`projects/-home-dev/${GOOD}`]: `${JSON.stringify(line)}\n`,
      [`projects/-home-dev/${DENIED}.jsonl`]: "{}\n",
    });
  }

  test.each(["last", "Readable"])("does not keep others from being found as %s, and is reported", (name) => {
    const problems: FileProblem[] = [];
    expect(resolveSession(name, [folderWithUnreadable()], problems)).toContain(GOOD);
    expect(problems).toEqual([{ path: expect.stringContaining(DENIED), reason: "permission denied" }]);
  });
});

test("of a large library only sessions are read that may have the title, wherever it comes from", () => {
  const idOf = (at: number) => `${at}1111111-9a34-4f6b-8c2d-1e0f3a4b5c6d`;
  const asking = (content: string) => ({ type: "user", message: { role: "user", content } });
  const starts = [
    [asking("rename every widget")],
    [asking("hello"), { type: "ai-title", aiTitle: "Rename the widget" }],
    [asking("hello"), { type: "custom-title", customTitle: "Umbenennen für Zoë" }],
    [asking("rename it, please")],
    [asking("<command-name>/rename</command-name><command-args>widget two</command-args>")],
    [asking("hello there")],
  ];
  const filler = `${JSON.stringify({ type: "progress", text: "x".repeat(900_000) })}\n`;
  const files = starts.map((records, at) => [
    `projects/-srv/${idOf(at)}.jsonl`,
    records.map((record, line) => `${JSON.stringify({ ...record, uuid: `u${line}` })}\n`).join("") + filler,
  ]);
  const sidecar = { [`projects/-srv/${idOf(5)}/custom-title.json`]: JSON.stringify({ customTitle: "Widgets beside" }) };
  const root = temporaryFolder({ ...Object.fromEntries(files), ...sidecar });
  const found = (name: string) => {
    read.length = 0;
    const path = resolveSession(name, [root]);
    return [path, read.length].map((one) => (typeof one === "string" ? one.slice(root.length + 15, -6) : one));
  };
  expect(found("rename every widget")).toEqual([idOf(0), 2]); // and the one with a file for its title
  expect(found("Rename the widget")).toEqual([idOf(1), 2]);
  expect(found("Umbenennen für Zoë")).toEqual([idOf(2), 2]);
  expect(found("Widgets beside")).toEqual([idOf(5), 1]);
});
