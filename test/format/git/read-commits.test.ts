import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { findGitPlace } from "../../../src/format/git/git-remotes.js";
import { type CommitSelection, readCommits } from "../../../src/format/git/read-commits.js";
import { openGitHistory } from "../../../src/format/git/run-git.js";
import { temporaryFolder } from "../temporary-folder.js";

function makeRepository(): { folder: string; write(name: string, text: string): void; commit: typeof commitIn } {
  const folder = temporaryFolder();
  commitIn(folder, ["init", "-q", "-b", "main"]);
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  return { folder, write, commit: commitIn };
}

function commitIn(folder: string, args: readonly string[], at = "2026-03-01T10:00:00Z"): string {
  const identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"];
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_COMMITTER_DATE: at, GIT_AUTHOR_DATE: at };
  return execFileSync("git", [...identity, ...args], { cwd: folder, encoding: "utf8", env }).trim();
}

async function read(folder: string, selection: CommitSelection = {}, maxBytes = 1_000_000) {
  const place = findGitPlace(folder);
  const history = place && openGitHistory(place, temporaryFolder());
  if (!history) throw new Error("no history");
  return readCommits(history, selection, { maxBytes });
}

test("a commit has the lines that it changed in each file, wherever they look like a patch", async () => {
  const { folder, write, commit } = makeRepository();
  write("a.txt", "one\ntwo\nthree\n");
  commit(folder, ["add", "."]);
  commit(folder, ["commit", "-qm", "First"]);
  write("a.txt", "one\n-- a/two\n=three\n++ b/four\n@@ -1 +1 @@");
  commit(folder, ["commit", "-qam", "Second: =x\n\nbody"], "2026-03-01T11:00:00Z");
  const { commits, end } = await read(folder);
  expect(end).toBe("done");
  expect(commits.map(({ subject }) => subject)).toEqual(["Second: =x", "First"]);
  expect(commits[0]).toMatchObject({
    author: "Ann",
    committedAt: Date.parse("2026-03-01T11:00:00Z"),
    parents: [commits[1]?.id],
    files: [
      {
        path: "a.txt",
        change: "changed",
        renamedFrom: null,
        hunks: [
          {
            oldStart: 2,
            newStart: 2,
            removed: ["two", "three"],
            added: ["-- a/two", "=three", "++ b/four", "@@ -1 +1 @@"],
          },
        ],
      },
    ],
  });
  expect(commits[1]?.files[0]).toMatchObject({ change: "added", hunks: [{ added: ["one", "two", "three"] }] });
});

test("renamed, deleted, binary and oddly named files are told by their names", async () => {
  const { folder, write, commit } = makeRepository();
  write("old.txt", "1\n2\n3\n4\n5\n");
  write("gone.txt", "gone\n");
  write('odd "näme"\t.txt', "odd\n");
  write("with space.txt", "s\n");
  write("bin", "\0\0");
  commit(folder, ["add", "."]);
  commit(folder, ["commit", "-qm", "First"]);
  commit(folder, ["mv", "old.txt", "new.txt"]);
  commit(folder, ["rm", "-q", "gone.txt"]);
  commit(folder, ["commit", "-qm", "Second"], "2026-03-01T11:00:00Z");
  const { commits } = await read(folder);
  expect(commits[0]?.files).toEqual([
    { path: "gone.txt", renamedFrom: null, change: "deleted", hunks: [expect.objectContaining({ removed: ["gone"] })] },
    { path: "new.txt", renamedFrom: "old.txt", change: "changed", hunks: [] },
  ]);
  const names = commits[1]?.files.map(({ path }) => path);
  expect(names).toEqual(["gone.txt", 'odd "näme"\t.txt', "old.txt", "with space.txt"]);
});

test("commits are chosen by time, path, reference and number", async () => {
  const { folder, write, commit } = makeRepository();
  for (const [name, hour] of [
    ["a.txt", "08"],
    ["b.txt", "09"],
    ["*.txt", "10"],
  ] as const) {
    write(name, name);
    commit(folder, ["add", "."]);
    commit(folder, ["commit", "-qm", name], `2026-03-01T${hour}:00:00Z`);
  }
  const subjects = async (selection: CommitSelection) =>
    (await read(folder, selection)).commits.map(({ subject }) => subject);
  expect(await subjects({ paths: ["*.txt"] })).toEqual(["*.txt"]);
  expect(await subjects({ limit: 2 })).toEqual(["*.txt", "b.txt"]);
  expect(await subjects({ since: Date.parse("2026-03-01T09:00:00Z") })).toEqual(["*.txt", "b.txt"]);
  expect(await subjects({ until: Date.parse("2026-03-01T08:30:00Z") })).toEqual(["a.txt"]);
  const [first] = commit(folder, ["rev-list", "--max-parents=0", "HEAD"]).split("\n");
  expect(await subjects({ from: ["refs/heads/main", first ?? ""], alone: true })).toEqual(["*.txt", "a.txt"]);
});

test("an answer that is cut has whole commits only", async () => {
  const { folder, write, commit } = makeRepository();
  write("a.txt", `${"long line\n".repeat(20)}`);
  commit(folder, ["add", "."]);
  commit(folder, ["commit", "-qm", "First"]);
  write("a.txt", "short\n");
  commit(folder, ["commit", "-qam", "Second"], "2026-03-01T11:00:00Z");
  const { commits, end } = await read(folder, {}, 600);
  expect(end).toBe("large");
  expect(commits.map(({ subject }) => subject)).toEqual(["Second"]);
});
