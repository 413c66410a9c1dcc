import { execFileSync } from "node:child_process";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findCommitWriters } from "../../../src/library/links/commit-writers.js";
import { call, prompt, type Row, result, sessionText, uuidOf } from "../../builders/session-builder.js";
import { temporaryFolder } from "../../format/temporary-folder.js";

const START = Date.UTC(2026, 0, 1, 12);
const HOUR = 3_600_000;

/** A repository in which a session writes files and people commit, an hour apart. */
function scriptedWork() {
  const folder = realpathSync(temporaryFolder());
  const rows: Row[] = [];
  const contents = new Map<string, string>();
  let now = START;
  const git = (...args: readonly string[]) => {
    const date = new Date(now).toISOString();
    const who = ["user.name=A", "user.email=a@b", "commit.gpgsign=false"].flatMap((setting) => ["-c", setting]);
    const env = { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date, GIT_CONFIG_GLOBAL: "/dev/null" };
    return execFileSync("git", [...who, ...args], { cwd: folder, env, stdio: "pipe" })
      .toString()
      .trim();
  };
  const put = (name: string, content: string) => {
    contents.set(name, content);
    writeFileSync(join(folder, name), content);
  };
  git("init", "-q", "-b", "main");
  return {
    folder,
    git,
    wait: (hours: number) => {
      now += hours * HOUR;
    },
    /** By hand. */
    put,
    session(name: string, content: string) {
      now += HOUR;
      const [id, timestamp, path] = [`c${rows.length}`, new Date(now).toISOString(), join(folder, name)];
      const before = contents.get(name) ?? null;
      const toolUseResult = {
        type: before === null ? "create" : "update",
        filePath: path,
        content,
        originalFile: before,
      };
      rows.push(prompt(`write ${name}`, { timestamp, cwd: folder }));
      rows.push(call(id, "Write", { file_path: path, content }, { timestamp, cwd: folder }));
      rows.push(result(id, "done", { timestamp, toolUseResult, cwd: folder }));
      put(name, content);
    },
    commit(...names: readonly string[]) {
      now += HOUR;
      git("add", ...names);
      git("commit", "-qm", `Change ${names.join(" and ")}`);
      return git("rev-parse", "HEAD");
    },
    /** What is told of a commit of this repository, or of another. */
    async written(commit: string, repository = folder) {
      const root = temporaryFolder();
      mkdirSync(join(root, "projects", "-w"), { recursive: true });
      writeFileSync(join(root, "projects", "-w", `${uuidOf(1)}.jsonl`), sessionText(...rows));
      const searched = { roots: [join(root, "projects")], archive: undefined, db: undefined, behind: undefined };
      return [...(await findCommitWriters(commit, repository, searched)).values()];
    },
  };
}

const BASE = "export const rate = 3;\nexport const limit = 10;\n";
const EDITED = `${BASE}export const sumOf = (list) => list.length;\n`;

test("a commit that a person makes of what a session wrote belongs to it, with other files of the person too", async () => {
  const { put, session, commit, written } = scriptedWork();
  put("cart.ts", BASE);
  const base = commit("cart.ts");
  session("cart.ts", EDITED);
  session("new.ts", "export const added = true;\n");
  put("notes.md", "my notes\n");
  const made = commit("cart.ts", "new.ts", "notes.md");
  const at = new Date(START + 4 * HOUR).toISOString();
  expect(await written(made)).toEqual([
    { sha: made, branch: null, subject: "Change cart.ts and new.ts and notes.md", at, by: "content" },
  ]);
  expect(await written(base)).toEqual([]);
});

test("a part of what a session wrote is found, and a removal alone", async () => {
  const { folder, git, put, session, commit, written } = scriptedWork();
  put("cart.ts", BASE);
  commit("cart.ts");
  session("cart.ts", `export const first = "of all";\n${BASE}export const last = "of all";\n`);
  writeFileSync(join(folder, "cart.ts"), `${BASE}export const last = "of all";\n`);
  git("add", "cart.ts");
  expect(await written(commit("cart.ts"))).toHaveLength(1);
  session("cart.ts", BASE);
  expect(await written(commit("cart.ts"))).toHaveLength(1);
});

test("a squash of what a session wrote, under another subject, is found", async () => {
  const { git, wait, put, session, commit, written } = scriptedWork();
  put("cart.ts", BASE);
  commit("cart.ts");
  git("checkout", "-qb", "feature");
  session("cart.ts", EDITED);
  commit("cart.ts");
  session("cart.ts", `${EDITED}export const half = (sum) => sum / 2;\n`);
  commit("cart.ts");
  git("checkout", "-q", "main");
  git("merge", "-q", "--squash", "feature");
  wait(24);
  git("commit", "-qm", "Round sums (#218)");
  expect(await written(git("rev-parse", "HEAD"))).toHaveLength(1);
});

test("commits of others to the same files are not the session's, nor what was changed by hand before the commit", async () => {
  const { put, session, commit, written } = scriptedWork();
  put("cart.ts", BASE);
  put("b.ts", BASE);
  commit("cart.ts", "b.ts");
  session("cart.ts", EDITED);
  session("b.ts", EDITED);
  put("cart.ts", EDITED.replace("length", "size"));
  const byHand = commit("cart.ts", "b.ts");
  put("b.ts", `// ours now\n${EDITED}`);
  const theirs = commit("b.ts");
  put("b.ts", EDITED);
  const takenBack = commit("b.ts");
  expect(await written(byHand)).toEqual([]);
  expect(await written(theirs)).toEqual([]);
  expect(await written(takenBack)).toEqual([]);
});

test("the same content is not the session's in another repository, before the session, or weeks after it", async () => {
  const [ours, theirs] = [scriptedWork(), scriptedWork()];
  ours.session("cart.ts", EDITED);
  theirs.put("cart.ts", EDITED);
  theirs.wait(1);
  expect(await ours.written(theirs.commit("cart.ts"), theirs.folder)).toEqual([]);
  ours.wait(15 * 24);
  expect(await ours.written(ours.commit("cart.ts"))).toEqual([]);
  const early = scriptedWork();
  early.put("cart.ts", EDITED);
  const before = early.commit("cart.ts");
  early.session("cart.ts", EDITED);
  expect(await early.written(before)).toEqual([]);
});
