import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { readGitSnapshot } from "../../../src/agent/git/git-snapshot.js";
import { startChat } from "../chat-world.js";
import { startMockApi } from "../mock-api.js";
import { runChat, spawnChat } from "../spawn-chat.js";
import { copyOf, git, makeFolder, makeRepository, write } from "./make-repository.js";

/** A git that does not end, found before the real one. */
function slowGit(): void {
  const bin = makeFolder();
  write(bin, "git", "#!/bin/sh\nexec sleep 15\n", 0o755);
  vi.stubEnv("PATH", `${bin}:${process.env["PATH"]}`);
  onTestFinished(() => void vi.unstubAllEnvs());
}

describe("the snapshot of git", () => {
  test("tells branch, status and commits as Claude Code does", async () => {
    const repository = makeRepository();
    const [last, first] = git(repository, "log", "--format=%h").trim().split("\n");
    expect(
      await readGitSnapshot(repository),
    ).toBe(`This is the git status at the start of the conversation. Note that this status is a snapshot in time, and will not update during the conversation.

Current branch: main

Main branch (you will usually use this for PRs): main

Status:
 M b.x
AM c.x
?? new.x

Recent commits:
${last} Second
${first} First`);
  });

  test("of a folder without commits has none, and outside of a repository there is no snapshot", async () => {
    const folder = makeFolder();
    expect(await readGitSnapshot(folder)).toBeUndefined();
    git(folder, "init", "--quiet");
    expect(await readGitSnapshot(folder)).toMatch(
      /Current branch: main\n.*Status:\n\(clean\)\n\nRecent commits:\n\(none\)/s,
    );
  });

  test("cuts a long status and shows no control characters of a commit", async () => {
    const repository = copyOf(makeRepository());
    for (const n of Array(300).keys()) writeFileSync(join(repository, `file-${n}`), "");
    git(repository, "commit", "--quiet", "--allow-empty", "--message", "\u001b[31mRed\u0007");
    const text = (await readGitSnapshot(repository)) ?? "";
    expect(text).toContain("… (cut; git status shows all)");
    expect(text.length).toBeLessThan(3_000);
    expect(text).not.toMatch(/[\u0007\u001b]/);
  });

  test("is given up when git takes too long", { timeout: 20_000 }, async () => {
    const repository = makeRepository();
    slowGit();
    const started = performance.now();
    expect(await readGitSnapshot(repository)).toBeUndefined();
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  test("leaves nothing in the folder for temporary files, also after a kill and the next start", {
    timeout: 60_000,
  }, async () => {
    const project = makeRepository();
    const home = makeFolder();
    const place = { project, home, configRoot: join(home, ".claude"), dataDir: join(home, "turnlog") };
    const temporary = makeFolder();
    vi.stubEnv("TMPDIR", temporary);
    const left = () => readdirSync(temporary).filter((name) => name.startsWith("turnlog-git"));
    const api = await startMockApi([{ blocks: [{ text: "Hello." }] }]);
    onTestFinished(() => api.close());
    const path = process.env["PATH"];
    slowGit();
    const { child, end } = spawnChat(["-p", "hi"], place, api);
    await vi.waitFor(() => expect(left()).toHaveLength(1), { timeout: 20_000 });
    child.kill("SIGKILL");
    await end;
    expect(left()).toHaveLength(1);
    vi.stubEnv("PATH", path);
    expect(await runChat(["-p", "hi"], place, api)).toMatchObject({ exitCode: 0 });
    expect(left()).toEqual([]);
  });

  test("starts no program of the repository when a chat is opened in it, and is sent to the model", async () => {
    const project = makeRepository();
    const marker = join(project, "../marker");
    write(project, "../program", `#!/bin/sh\necho ran >> ${marker}\n`, 0o755);
    for (const setting of ["core.fsmonitor", "filter.x.clean", "core.pager"])
      git(project, "config", setting, join(project, "../program"));
    writeFileSync(marker, "");
    const home = makeFolder();
    const place = { project, home, configRoot: join(home, ".claude"), dataDir: join(home, "turnlog") };
    const world = await startChat([{ blocks: [{ text: "Hello." }] }], { place });
    await world.send("hi");
    expect(JSON.stringify(world.api.requests[0]?.system)).toContain("gitStatus: This is the git status at the start");
    expect(readFileSync(marker, "utf8")).toBe("");
  });
});
