import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readGitSnapshot } from "../../../src/agent/git/git-snapshot.js";
import { startChat } from "../chat-world.js";
import { copyOf, git, makeFolder, makeRepository, write } from "./make-repository.js";

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
