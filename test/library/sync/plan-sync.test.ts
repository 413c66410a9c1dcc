import { expect, test } from "vitest";
import type { FileRow } from "../../../src/library/catalog/file-rows.js";
import type { LibraryFile } from "../../../src/library/sources/walk-library.js";
import { findUncertain, planSync } from "../../../src/library/sync/plan-sync.js";

const file = (path: string, inode: number, agentProject?: string): LibraryFile => ({
  path,
  size: 10,
  mtimeMs: 1,
  ctimeMs: 1,
  inode,
  titleState: "",
  archive: null,
  open: () => path,
  agent: agentProject === undefined ? undefined : { agentId: "a", owner: undefined, projectDir: agentProject },
});
const row = (id: number, path: string, inode: number, changes: Partial<FileRow> = {}): FileRow => ({
  id,
  path,
  agent_id: null,
  size: 10,
  mtime: 1,
  ctime: 1,
  inode,
  cursor: null,
  is_counted: 1,
  problem: null,
  archive: null,
  title_state: "",
  text_offset: 0,
  text_line: 1,
  ...changes,
});

function plan(
  files: readonly LibraryFile[],
  known: readonly FileRow[],
  { mayExist = (): boolean => false, roots = ["/r"] } = {},
) {
  const walk = { files, withoutTranscript: 0, problems: [], folders: [], fingerprint: "" };
  const rows = new Map(known.map((entry) => [entry.path, entry]));
  const found = planSync(walk, rows, { presentRoots: roots, mayExist });
  return {
    added: found.added.map(({ path }) => path),
    moved: found.moved.map(({ row: { path: from }, file: { path: to } }) => `${from} ${to}`),
    gone: found.gone.map(({ path }) => path),
    uncertain: findUncertain(walk, rows, found).map(({ path }) => path),
  };
}

const NOTHING = { added: [], moved: [], gone: [], uncertain: [] };

test("nothing is to be done where all is as it was", () => {
  expect(plan([file("/r/a", 1)], [row(1, "/r/a", 1)])).toEqual(NOTHING);
});

test("a file of the same name and inode elsewhere has moved", () => {
  expect(plan([file("/r/q/a", 1)], [row(1, "/r/p/a", 1)])).toEqual({ ...NOTHING, moved: ["/r/p/a /r/q/a"] });
});

test("another name, or another inode, is another file", () => {
  expect(plan([file("/r/b", 1)], [row(1, "/r/a", 1)])).toEqual({ ...NOTHING, added: ["/r/b"], gone: ["/r/a"] });
  expect(plan([file("/r/q/a", 2)], [row(1, "/r/p/a", 1)])).toEqual({ ...NOTHING, added: ["/r/q/a"], gone: ["/r/p/a"] });
});

test("a second name of the same file is added, while the first one is there", () => {
  expect(plan([file("/r/p/a", 1), file("/r/q/a", 1)], [row(1, "/r/p/a", 1)])).toEqual({
    ...NOTHING,
    added: ["/r/q/a"],
  });
});

test("only one of two new names takes the place of an old one", () => {
  expect(plan([file("/r/p/a", 1), file("/r/q/a", 1)], [row(1, "/r/o/a", 1)])).toEqual({
    ...NOTHING,
    moved: ["/r/o/a /r/p/a"],
    added: ["/r/q/a"],
  });
});

test("a file that is there but was not seen is kept: its folder cannot be listed now", () => {
  expect(plan([], [row(1, "/r/p/a", 1)], { mayExist: () => true })).toEqual(NOTHING);
});

test("files below a root that is not there, and outside of all roots, are kept", () => {
  expect(plan([], [row(1, "/r/p/a", 1)], { roots: [] })).toEqual(NOTHING);
  expect(plan([], [row(1, "/other/a", 1)])).toEqual(NOTHING);
});

test("sub-agents beside sessions look for their session again when they change, or the sessions around them do", () => {
  const agent = file("/r/p/agent-a", 5, "/r/p");
  const known = row(5, "/r/p/agent-a", 5, { agent_id: "a" });
  const session = file("/r/p/s", 1);
  const uncertain = (files: readonly LibraryFile[], rows: readonly FileRow[]) => plan(files, rows).uncertain;
  expect(uncertain([agent, session], [known, row(1, "/r/p/s", 1)])).toEqual([]);
  expect(uncertain([agent, session], [{ ...known, size: 9 }, row(1, "/r/p/s", 1)])).toEqual(["/r/p/agent-a"]);
  expect(uncertain([agent, session], [known])).toEqual(["/r/p/agent-a"]);
  expect(uncertain([agent], [known, row(1, "/r/p/s", 1)])).toEqual(["/r/p/agent-a"]);
  expect(uncertain([agent, session], [known, row(1, "/r/p/s", 1, { size: 0 })])).toEqual(["/r/p/agent-a"]);
  expect(uncertain([agent, file("/r/q/s", 1)], [known])).toEqual([]);
});
