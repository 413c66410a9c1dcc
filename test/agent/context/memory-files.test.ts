import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { readMemoryFiles } from "../../../src/agent/context/memory-files.js";
import { makePlace, type Place, startChat } from "../chat-world.js";

/** What is read in a project below home, by its path from home, and what is not. */
function readIn({ project, home, configRoot }: Place) {
  const leftOut: string[] = [];
  const files = readMemoryFiles({ cwd: project, home, configRoot, onLeftOut: (path) => void leftOut.push(path) });
  const named = files.map(({ path, kind }) => `${kind} ${path.slice(home.length + 1)}`);
  return { named, leftOut, files };
}

function addFile(place: Place, name: string, content: string): void {
  mkdirSync(dirname(join(place.home, name)), { recursive: true });
  writeFileSync(join(place.home, name), content);
}

test("the person's instructions come first, then those of the folders above, the project's, and the local ones", () => {
  const place = makePlace({ "CLAUDE.md": "of the project", ".claude/CLAUDE.md": "hidden", "CLAUDE.local.md": "local" });
  addFile(place, ".claude/CLAUDE.md", "for all projects");
  addFile(place, "CLAUDE.md", "above");
  expect(readIn(place).named).toEqual([
    "user .claude/CLAUDE.md",
    "project CLAUDE.md",
    "project project/CLAUDE.md",
    "project project/.claude/CLAUDE.md",
    "local project/CLAUDE.local.md",
  ]);
});

test("AGENTS.md is read where a folder has no CLAUDE.md", () => {
  const place = makePlace({ "AGENTS.md": "for agents" });
  expect(readIn(place).named).toEqual(["project project/AGENTS.md"]);
  addFile(place, "project/CLAUDE.md", "of the project");
  expect(readIn(place).named).toEqual(["project project/CLAUDE.md"]);
});

test("imports are read once, five deep, and not out of code", () => {
  const chain = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`n${n}.md`, `number ${n} @n${n + 1}.md`]));
  const place = makePlace({
    ...chain,
    "CLAUDE.md": "See @docs/style.txt, and @n0.md.\n`@code.md`\n```\n@code.md\n```\nmail me@code.md",
    "docs/style.txt": "back to @../CLAUDE.md",
    "code.md": "never",
  });
  expect(readIn(place).named).toEqual([
    "project project/CLAUDE.md",
    "import project/docs/style.txt",
    ...[0, 1, 2, 3, 4].map((n) => `import project/n${n}.md`),
  ]);
});

test("a project has only Markdown of the person told, and none through links", () => {
  const place = makePlace({ "CLAUDE.md": "@~/.aws/credentials @~/notes.md @/dev/zero @nothing" });
  addFile(place, ".aws/credentials", "secret");
  addFile(place, "notes.md", "mine");
  symlinkSync(join(place.home, ".aws/credentials"), join(place.project, "CLAUDE.local.md"));
  const { named, leftOut } = readIn(place);
  expect(named).toEqual(["project project/CLAUDE.md", "import notes.md"]);
  expect(leftOut).toEqual([join(place.home, ".aws/credentials"), join(place.project, "CLAUDE.local.md")]);
});

test("a project whose .claude is a link out of it has nothing told from there", () => {
  const place = makePlace({});
  addFile(place, "outside/CLAUDE.md", "theirs, @sub.txt");
  addFile(place, "outside/sub.txt", "secret");
  symlinkSync(join(place.home, "outside"), join(place.project, ".claude"));
  const { named, leftOut } = readIn(place);
  expect(named).toEqual([]);
  expect(leftOut).toEqual([join(place.project, ".claude/CLAUDE.md")]);
});

test("the model is told the instructions, that there is a git repository, and what is added to them", async () => {
  const place = makePlace({ "CLAUDE.md": "Use tabs." });
  execFileSync("git", ["init", "--quiet", "--initial-branch", "trunk"], { cwd: place.project });
  const world = await startChat([{ blocks: [{ text: "Hello." }] }], { place }, { appendSystemPrompt: "Be brave." });
  await world.send("hi");
  const system = JSON.stringify(world.api.requests[0]?.system);
  expect(system).toMatch(/Git repository: yes.*Use tabs\..*Be brave\./);
});

test("no git of the project is run, and none where the repository is not complete", async () => {
  const place = makePlace({ "bin/git": '#!/bin/sh\ntouch "$0.ran"\n', ".git/HEAD": "ref: refs/heads/trunk\n" });
  chmodSync(join(place.project, "bin/git"), 0o755);
  vi.stubEnv("PATH", `${join(place.project, "bin")}:${process.env["PATH"]}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const world = await startChat([{ blocks: [{ text: "Hello." }] }], { place });
  await world.send("hi");
  expect(existsSync(join(place.project, "bin/git.ran"))).toBe(false);
  expect(world.file.lines.find(({ type }) => type === "user")).toMatchObject({ gitBranch: "trunk" });
});

test("what is left out is told, and the person's own instructions may import anything", async () => {
  const place = makePlace({ "CLAUDE.md": "@~/ours.txt" });
  addFile(place, "ours.txt", "from ours.txt");
  const world = await startChat([{ blocks: [{ text: "Hello." }] }], { place });
  expect(world.events).toContainEqual({ kind: "notice", text: expect.stringContaining("ours.txt is not sent") });
  addFile(place, ".claude/CLAUDE.md", "@~/ours.txt");
  expect(readIn(place).files.map(({ content }) => content)).toContain("from ours.txt");
});
