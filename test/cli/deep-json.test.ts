import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../format/temporary-folder.js";
import { runCli } from "./run-cli.js";

const ID = "5b0c7d1e-9a34-4f6b-8c2d-1e0f3a4b5c6d";
/** A stack ends at some ten thousand levels. */
const LEVELS = 70_000;

function deepLibrary(): string {
  const common = { sessionId: ID, timestamp: "2026-11-01T00:00:00.000Z", cwd: "/home/dev", version: "2.1.326" };
  const call = { type: "tool_use", id: "t", name: "Odd", input: "DEEP" };
  const result = { type: "tool_result", tool_use_id: "t", content: "found" };
  const lines = [
    { type: "user", uuid: "1", parentUuid: null, message: { role: "user", content: "hello" } },
    { type: "assistant", uuid: "2", parentUuid: "1", message: { id: "m", role: "assistant", content: [call] } },
    { type: "user", uuid: "3", parentUuid: "2", message: { role: "user", content: [result] }, toolUseResult: "DEEP" },
  ];
  const text = lines.map((line) => `${JSON.stringify({ ...common, ...line })}\n`).join("");
  const deep = `${'{"a":['.repeat(LEVELS / 2)}"end"${"]}".repeat(LEVELS / 2)}`;
  return temporaryFolder({ [`projects/-home-dev/${ID}.jsonl`]: text.replaceAll('"DEEP"', deep) });
}

test.each([
  ["list"],
  ["show", ID, "--tools", "full"],
  ["show", ID, "--json"],
  ["show", ID, "--events"],
  ...["html", "md", "json", "jsonl", "api", "cast"].map((format) => ["export", ID, "--format", format]),
  ["search", "found"],
  ["stats"],
  ["scan"],
  ["verify", ID],
  ["files", ID],
  ["diff", ID, ID],
  ...["clone", "redact", "repair"].map((edit) => [edit, ID, "--dry-run"]),
])("a value of 70,000 levels ends no command: %s %s %s %s", async (...args) => {
  const env = { CLAUDE_CONFIG_DIR: deepLibrary(), TURNLOG_DATA_DIR: join(temporaryFolder(), "data"), CI: "1" };
  const { exitCode, stdout, stderr } = await runCli(args, env);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  expect(stdout + stderr).not.toBe("");
});

test("such a value is passed over by prune", async () => {
  const env = { CLAUDE_CONFIG_DIR: deepLibrary(), TURNLOG_DATA_DIR: join(temporaryFolder(), "data"), CI: "1" };
  expect((await runCli(["prune", ID, "--dry-run"], env)).stderr).toContain("there is nothing to prune");
});
