import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../format/temporary-folder.js";
import { runCli } from "./run-cli.js";

/** Sets the title of the window, rings, starts a sequence by its 8-bit code, turns the writing direction around. */
const EVIL = "\u001b]0;owned\u0007\u009b31m\u202eevil\u061c";
const HARMFUL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const FILE = "projects/-home-dev/5b0c7d1e-9a34-4f6b-8c2d-1e0f3a4b5c6d.jsonl";

/** Every text of every record tries to take over the terminal: also ids, times, types and names. */
function hostileLibrary(): string {
  const call = { type: "tool_use", id: `t${EVIL}`, name: `Bash${EVIL}`, input: { command: EVIL, description: EVIL } };
  const orphan = { type: "tool_result", tool_use_id: `gone${EVIL}`, is_error: true, content: EVIL };
  const image = { type: "image", source: { type: "base64", media_type: `image/${EVIL}`, data: "" } };
  const lines = [
    { type: "custom-title", customTitle: `title ${EVIL}` },
    { type: "pr-link", prUrl: EVIL, prNumber: 1, prRepository: EVIL },
    record("user", "1", null, [{ type: "text", text: `${EVIL}\nprompt` }, image], { forkedFrom: { sessionId: EVIL } }),
    record("assistant", "2", "1", [{ type: "thinking", thinking: EVIL }, { type: "text", text: EVIL }, call]),
    record("user", "3", "2", [{ type: "tool_result", tool_use_id: `t${EVIL}`, is_error: true, content: EVIL }]),
    record("user", "4", "3", [orphan]),
    { ...record("system", "5", "4", EVIL), subtype: "compact_boundary", compactMetadata: { trigger: EVIL } },
    record("user", "6", "2", `<bash-input>${EVIL}</bash-input>`),
    record("assistant", "7", "6", [{ type: `hologram${EVIL}` }, { type: "text", text: EVIL }]),
    { type: `future${EVIL}`, [`field${EVIL}`]: EVIL },
  ];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  return temporaryFolder({ [FILE]: `${text}{"broken ${EVIL}\n` });
}

function record(type: string, id: string, parent: string | null, content: unknown, more: object = {}): object {
  return {
    type,
    uuid: `${id}${EVIL}`,
    parentUuid: parent === null ? null : `${parent}${EVIL}`,
    timestamp: `yesterday ${EVIL}`,
    cwd: `/home/dev/${EVIL}`,
    gitBranch: EVIL,
    version: `9${EVIL}`,
    message: { id: `msg_${id}${EVIL}`, role: type, model: `claude${EVIL}`, content },
    ...more,
  };
}

describe("a hostile session cannot control the terminal through", () => {
  test.each([
    { args: ["list"] },
    { args: ["show", "last"] },
    { args: ["show", "last", "--branch", "all", "--tools", "full", "--thinking"] },
    { args: ["show", "last", "--branch", "0badc0de"] },
    { args: ["show", "last", "--events"] },
    { args: ["show", "last", "--inventory"] },
    { args: ["verify", "last"] },
    { args: ["scan"] },
    { args: ["show", `title ${EVIL} that is not there`] },
  ])("$args", async ({ args }) => {
    const { stdout, stderr } = await runCli(args, { CLAUDE_CONFIG_DIR: hostileLibrary() });
    expect(stdout + stderr).not.toBe("");
    expect(HARMFUL.exec(stdout + stderr)?.[0]).toBeUndefined();
  });

  test("the drift report", async () => {
    const { stdout } = await runCli(["verify", "--drift", join(hostileLibrary(), "projects")]);
    expect(stdout).toContain("future");
    expect(HARMFUL.exec(stdout)?.[0]).toBeUndefined();
  });
});
