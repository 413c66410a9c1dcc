import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  agentIdOf,
  fileBackupPath,
  isSessionFileName,
  owningSessionFile,
  type SessionPaths,
  sessionPaths,
  subagentMetaFile,
} from "../../../src/format/layout/session-paths.js";

const ID = "611dbd00-3ef7-4482-9f54-be0d7ea83ed8";
const PROJECT = join("/root", "projects", "-p");

/** Some of them are made when asked for. */
function allOf(paths: SessionPaths): SessionPaths {
  const { id, projectDir, sideDir, subagentsDir, toolResultsDir, customTitleFile, archivedFile, fileHistoryDir } =
    paths;
  return { id, projectDir, sideDir, subagentsDir, toolResultsDir, customTitleFile, archivedFile, fileHistoryDir };
}

test("a session's paths all follow from its file name", () => {
  const { fileHistoryDir, ...paths } = allOf(sessionPaths(join(PROJECT, `${ID}.jsonl`)));
  expect(paths).toEqual({
    id: ID,
    projectDir: PROJECT,
    sideDir: join(PROJECT, ID),
    subagentsDir: join(PROJECT, ID, "subagents"),
    toolResultsDir: join(PROJECT, ID, "tool-results"),
    archivedFile: join(PROJECT, ID, "archived.json"),
    customTitleFile: join(PROJECT, ID, "custom-title.json"),
  });
  expect(fileHistoryDir("/root")).toBe(join("/root", "file-history", ID));
});

test("a file that is no session by name has its name as id", () => {
  expect(sessionPaths("/tmp/recorded.jsonl").id).toBe("recorded");
});

describe("isSessionFileName", () => {
  test.each([`${ID}.jsonl`, `${ID.toUpperCase()}.jsonl`])("accepts %s", (name) => {
    expect(isSessionFileName(name)).toBe(true);
  });

  test.each([ID, `${ID}.jsonl.bak`, `x${ID}.jsonl`, `${ID}.JSONL`, "agent-a1b2c3d.jsonl", "session.jsonl", ".jsonl"])(
    "refuses %s",
    (name) => {
      expect(isSessionFileName(name)).toBe(false);
    },
  );
});

test.each([
  ["agent-036c0493.jsonl", "036c0493"],
  ["agent-a6c00b14e65f643b0.jsonl", "a6c00b14e65f643b0"],
  ["agent-code reviewer-2.jsonl", "code reviewer-2"],
  ["agent-.jsonl", undefined],
  ["agent-a1.meta.json", undefined],
  ["my-agent-a1.jsonl", undefined],
])("the agent id in %s is %s", (name, id) => {
  expect(agentIdOf(name)).toBe(id);
});

test("a sub-agent's metadata lies beside its file", () => {
  expect(subagentMetaFile("/p/agent-a.jsonl.jsonl")).toBe("/p/agent-a.jsonl.meta.json");
});

test.each([
  [join(PROJECT, ID, "subagents", "agent-a1.jsonl"), join(PROJECT, `${ID}.jsonl`)],
  [join(PROJECT, ID, "subagents", "workflows", "x", "agent-a1.jsonl"), join(PROJECT, `${ID}.jsonl`)],
  [join(PROJECT, "subagents", "agent-a1.jsonl"), join(PROJECT, "subagents", "agent-a1.jsonl")],
  [join(PROJECT, "agent-a1.jsonl"), join(PROJECT, "agent-a1.jsonl")],
  [join(PROJECT, `${ID}.jsonl`), join(PROJECT, `${ID}.jsonl`)],
])("%s belongs to the transcript %s", (file, transcript) => {
  expect(owningSessionFile(file)).toBe(transcript);
});

describe("a file backup", () => {
  test("lies in the session's file history", () => {
    expect(fileBackupPath("/root", ID, "0123456789abcdef@v2")).toBe(
      join("/root", "file-history", ID, "0123456789abcdef@v2"),
    );
  });

  test.each([
    [ID, "../../settings.json"],
    [ID, ".."],
    [ID, ""],
    [ID, "..\\x"],
    ["..", "x"],
    ["a/b", "x"],
  ])("of session %s named %j is nowhere", (sessionId, name) => {
    expect(fileBackupPath("/root", sessionId, name)).toBeUndefined();
  });
});
