import { cpSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../format/temporary-folder.js";
import { oldLibrary } from "../../old-library.js";
import { PLANTED_ID } from "../../planted-library.js";
import { runCli } from "../../run-cli.js";
import { treeOf } from "../../tree-of.js";

const NO_SESSIONS = {
  passwd: "root:x:0:0:root:/root:/bin/bash\n",
  "data.json": '{"type":"module","name":"x"}\n',
  "pretty.json": '{\n  "user": 1\n}\n',
  "journal.jsonl": '{"type":"launched"}\n{"type":"result","key":"a","agentId":"b","result":"c"}\n',
  "history.jsonl": '{"display":"hi","pastedContents":{},"timestamp":1,"project":"/p","sessionId":"s"}\n',
  "stream.jsonl": '{"type":"assistant","message":{"role":"assistant","content":[]},"session_id":"s","uuid":"u"}\n',
  "binary.jsonl": "\u0000\u0001\u0002\n\u0003",
};
const EDITS = [
  ["clone"],
  ["fork", "--at", "1"],
  ["prune"],
  ["compress"],
  ["uncompact"],
  ["redact"],
  ["repair", "--write"],
  ["merge", "--branch", "abcd"],
  ["move", "/srv/shop", "--force"],
  ["delete", "--force"],
];

describe.each(EDITS)("turnlog %s", (command, ...options) => {
  test.each(Object.keys(NO_SESSIONS))("refuses %s and writes nothing", async (name) => {
    const { env } = oldLibrary();
    const folder = temporaryFolder(NO_SESSIONS);
    const before = treeOf(folder);
    const { exitCode, stdout, stderr } = await runCli([command, join(folder, name), ...options], env);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toBe(
      `turnlog: not a Claude Code session: ${join(folder, name)}\n  \`turnlog list\` lists all sessions\n`,
    );
    expect(treeOf(folder)).toEqual(before);
  });

  test("refuses an empty file and a folder", async () => {
    const { env } = oldLibrary();
    const folder = temporaryFolder({ "empty.jsonl": "" });
    const results = [join(folder, "empty.jsonl"), folder].map((path) => runCli([command, path, ...options], env));
    expect((await Promise.all(results)).map(({ exitCode }) => exitCode)).toEqual([1, 1]);
    expect(Object.keys(treeOf(folder))).toEqual(["empty.jsonl"]);
  });
});

test("a merge from what is no session is refused", async () => {
  const { env } = oldLibrary();
  const path = join(temporaryFolder(NO_SESSIONS), "passwd");
  expect((await runCli(["merge", PLANTED_ID, "--from", path], env)).stderr).toContain("not a Claude Code session");
});

test("a session outside of Claude Code's folders is edited beside itself, without a command that could not resume it", async () => {
  const { root, env } = oldLibrary();
  const path = join(temporaryFolder(), "copy.jsonl");
  cpSync(join(root, `projects/-home-dev-shop/${PLANTED_ID}.jsonl`), path);
  const { exitCode, stdout, stderr } = await runCli(["clone", path], env);
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringMatching(/^[0-9a-f-]{36}\n$/) });
  expect(stderr).toContain("Claude Code can resume it only from its project's folder");
});

test("a session outside of Claude Code's folders is not moved", async () => {
  const { root, env } = oldLibrary();
  const path = join(temporaryFolder(), "copy.jsonl");
  cpSync(join(root, `projects/-home-dev-shop/${PLANTED_ID}.jsonl`), path);
  const { stderr } = await runCli(["move", path, "/srv/shop", "--force"], env);
  expect(stderr).toContain("only sessions in Claude Code's own folders can be moved");
});

test("an empty session in Claude Code's folder can be deleted by its path", async () => {
  const id = "7c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e4f";
  const { env } = oldLibrary();
  const folder = temporaryFolder({ [`projects/-p/${id}.jsonl`]: "" });
  const path = join(folder, `projects/-p/${id}.jsonl`);
  expect(await runCli(["delete", path, "--force"], env)).toMatchObject({ exitCode: 0 });
});
