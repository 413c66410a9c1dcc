import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findToolResultFile } from "../../../src/format/layout/find-tool-result.js";
import { temporaryFolder } from "../temporary-folder.js";

const ID = "b2d4f30a-d8bf-4f51-8088-35143a6eb9de";

function projectWithResult() {
  const root = temporaryFolder({
    [`projects/-p/${ID}.jsonl`]: "",
    [`projects/-p/${ID}/tool-results/b1z0x6ua1.txt`]: "long output",
    [`projects/-p/${ID}/custom-title.json`]: "{}",
    "secret.txt": "secret",
  });
  const project = join(root, "projects", "-p");
  return {
    root,
    project,
    session: join(project, `${ID}.jsonl`),
    results: join(project, ID, "tool-results"),
  };
}

describe("a spilled tool result", () => {
  test.each([
    `/home/dev/.claude/projects/-p/${ID}/tool-results/b1z0x6ua1.txt`,
    `C:\\Users\\dev\\.claude\\projects\\-p\\${ID}\\tool-results\\b1z0x6ua1.txt`,
    "/an/old/project/folder/tool-results/b1z0x6ua1.txt",
    "b1z0x6ua1.txt",
  ])("is found by the name in %s", (mentioned) => {
    const { session, results } = projectWithResult();
    expect(findToolResultFile(session, mentioned)).toBe(join(results, "b1z0x6ua1.txt"));
  });

  test("that a sub-agent mentions is found among its session's", () => {
    const { project, results } = projectWithResult();
    const subagent = join(project, ID, "subagents", "agent-a1.jsonl");
    expect(findToolResultFile(subagent, "/x/b1z0x6ua1.txt")).toBe(join(results, "b1z0x6ua1.txt"));
  });

  test.each([
    "/x/gone.txt",
    "",
    "/",
    "..",
    "/x/..",
    "..\\..",
    "../custom-title.json",
    "/x/a\0b",
    "/x/..\\custom-title.json",
  ])("mentioned as %j is not found", (mentioned) => {
    expect(findToolResultFile(projectWithResult().session, mentioned)).toBeUndefined();
  });

  test("is not followed out of the project through a link", () => {
    const { root, session, results } = projectWithResult();
    symlinkSync(join(root, "secret.txt"), join(results, "linked.txt"));
    expect(findToolResultFile(session, "/x/linked.txt")).toBeUndefined();
  });

  test("is found in a project folder that is itself a link", () => {
    const { root, project } = projectWithResult();
    symlinkSync(project, join(root, "projects", "-link"));
    const linked = join(root, "projects", "-link");
    expect(findToolResultFile(join(linked, `${ID}.jsonl`), "b1z0x6ua1.txt")).toBe(
      join(linked, ID, "tool-results", "b1z0x6ua1.txt"),
    );
  });
});
