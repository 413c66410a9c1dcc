import { execFileSync } from "node:child_process";
import { realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, prompt, type Row, result, sessionText, uuidOf } from "../../../builders/session-builder.js";
import { temporaryFolder } from "../../../format/temporary-folder.js";
import { runCli } from "../../run-cli.js";

const START = Date.UTC(2026, 0, 1, 12);

/** A repository in which a session and other people work, at times that the test says. */
function scriptedWork() {
  const folder = temporaryFolder();
  const rows: Row[] = [prompt("work")];
  let seconds = 0;
  const run = (args: readonly string[]) => {
    const date = new Date(START + seconds * 1000).toISOString();
    const who = ["user.name=A", "user.email=a@b", "commit.gpgsign=false"].flatMap((setting) => ["-c", setting]);
    const times = { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date, GIT_SEQUENCE_EDITOR: "true", GIT_EDITOR: "true" };
    return execFileSync("git", [...who, ...args], {
      cwd: folder,
      env: { ...process.env, ...times },
      stdio: "pipe",
    }).toString();
  };
  const change = (name: string) => {
    writeFileSync(join(folder, name), `${name} ${seconds}\n`);
    run(["add", name]);
  };
  /** The session, if it is listed for a commit. */
  const listed = async (commit: string, project = folder, ...args: readonly string[]) => {
    const text = sessionText(...rows.map((row) => ({ cwd: project, ...row })));
    const root = temporaryFolder({ [`projects/-w/${uuidOf(1)}.jsonl`]: text });
    const env = { CLAUDE_CONFIG_DIR: root, TURNLOG_DATA_DIR: temporaryFolder() };
    const { stdout } = await runCli(["list", "--json", "--commit", commit, ...args], env, { cwd: folder });
    return JSON.parse(stdout) as readonly { readonly commits: readonly unknown[] }[];
  };
  run(["init", "-q", "-b", "main"]);
  return {
    folder,
    /** By hand, an hour later. */
    person: (...args: readonly string[]) => {
      seconds += 3600;
      return run(args).trim();
    },
    change,
    /** By the session, which sees what git prints. */
    session: (...args: readonly string[]) => {
      seconds += 60;
      const id = `c${rows.length}`;
      const timestamp = new Date(START + seconds * 1000 + 900).toISOString();
      const stdout = run(args);
      rows.push({ ...call(id, "Bash", { command: `git ${args.join(" ")}` }), timestamp });
      rows.push({ ...result(id, stdout), toolUseResult: { stdout }, timestamp });
    },
    /** The session writes a file and commits nothing. */
    writes(name: string) {
      seconds += 60;
      const [id, path, content] = [`w${rows.length}`, join(realpathSync(folder), name), `${name} of the session\n`];
      const timestamp = new Date(START + seconds * 1000).toISOString();
      const toolUseResult = { type: "create", filePath: path, content, originalFile: null };
      rows.push({ ...call(id, "Write", { file_path: path, content }), timestamp });
      rows.push({ ...result(id, "done"), toolUseResult, timestamp });
      writeFileSync(path, content);
      run(["add", name]);
    },
    sha: (name = "HEAD") => run(["rev-parse", name]).trim(),
    listed,
    isListed: async (commit: string, project = folder) => (await listed(commit, project)).length === 1,
  };
}

test("the own commits of a session are found, also after they were amended, moved to another branch and rebased", async () => {
  const { change, session, person, sha, isListed } = scriptedWork();
  change("base.txt");
  person("commit", "-qm", "Base");
  person("checkout", "-qb", "feature");
  change("a.txt");
  session("commit", "-m", "Add a");
  const made = sha();
  change("a2.txt");
  session("commit", "--amend", "--no-edit");
  const amended = sha();
  person("commit", "--amend", "--no-edit", "--allow-empty");
  person("checkout", "-q", "main");
  change("other.txt");
  person("commit", "-qm", "Something else");
  person("rebase", "-q", "main", "feature");
  const rebased = sha("feature");
  expect(new Set([made, amended, rebased]).size).toBe(3);
  expect(await Promise.all([made, amended, rebased, "feature"].map((name) => isListed(name)))).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(await Promise.all(["main", "main~1"].map((name) => isListed(name)))).toEqual([false, false]);
});

test("a squash that keeps the first of its commits is found, one with another subject is not known", async () => {
  const { change, session, person, isListed } = scriptedWork();
  change("base.txt");
  person("commit", "-qm", "Base");
  person("checkout", "-qb", "feature");
  change("a.txt");
  session("commit", "-m", "Add a");
  change("b.txt");
  session("commit", "-m", "fixup! Add a");
  person("rebase", "-q", "-i", "--autosquash", "main");
  expect(await isListed("feature")).toBe(true);
  person("checkout", "-q", "main");
  person("merge", "-q", "--squash", "feature");
  person("commit", "-qm", "Add a (#218)");
  expect(await isListed("main")).toBe(false);
});

test("a commit of the same subject is not taken for that of the session: later, or in another repository", async () => {
  const { change, session, person, isListed } = scriptedWork();
  change("a.txt");
  session("commit", "-m", "wip");
  const theirs = scriptedWork();
  theirs.change("b.txt");
  theirs.session("commit", "-m", "wip");
  expect(await isListed("HEAD")).toBe(true);
  expect(await theirs.isListed("HEAD", "/somewhere/else")).toBe(true); // by its sha
  theirs.person("commit", "--amend", "--no-edit", "--allow-empty");
  expect(await theirs.isListed("HEAD")).toBe(true);
  expect(await theirs.isListed("HEAD", "/somewhere/else")).toBe(false);
  change("c.txt");
  person("commit", "-qm", "wip");
  expect(await isListed("HEAD")).toBe(false);
});

test("a session is listed for a commit that a person made of its work, from the index and from the files, with a masked subject", async () => {
  const { change, person, session, writes, sha, listed } = scriptedWork();
  const secret = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
  change("base.txt");
  person("commit", "-qm", "Base");
  writes("a.txt");
  person("commit", "-qm", `Use ${secret}`);
  const byHand = sha();
  writes("b.txt");
  session("commit", "-m", "Add b");
  const [indexed, read, own] = [
    await listed("HEAD~1", undefined, "--wait"),
    await listed(byHand, undefined, "--no-index"),
    await listed("HEAD"),
  ];
  const found = { sha: byHand, branch: null, subject: expect.not.stringContaining(secret), by: "content" };
  expect(indexed[0]?.commits).toMatchObject([{ subject: "Add b", by: "command" }, found]);
  expect(read[0]?.commits).toEqual(indexed[0]?.commits);
  expect(own[0]?.commits).toMatchObject([{ subject: "Add b", by: "command" }]);
  expect([...own, ...read, ...indexed].map(({ commits }) => commits.length)).toEqual([1, 2, 2]);
});
