import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { ChatOptions } from "../../../src/agent/chat-options.js";
import { call, callsOf } from "../call-all.js";
import { makePlace, startChat } from "../chat-world.js";
import { startMockApi } from "../mock-api.js";
import { runChat } from "../spawn-chat.js";
import { requireBubblewrap } from "./require-bubblewrap.js";

beforeAll(requireBubblewrap, 300_000);

const SANDBOX = { allowsNetwork: false, readable: [] };

async function tryToWrite(options: Partial<ChatOptions>) {
  const script = [
    { blocks: [call("Bash", { command: "node -e 0; echo x > written; echo y > /usr/y" })] },
    { blocks: [{ text: "Done." }] },
  ];
  const world = await startChat(script, {}, { mode: "default", ...options });
  await world.send("go");
  return { call: callsOf(world)[0], isWritten: existsSync(join(world.place.project, "written")) };
}

describe("a chat with a sandbox", { timeout: 60_000 }, () => {
  test("runs commands in it without a question", async () => {
    const { call: made, isWritten } = await tryToWrite({ sandbox: SANDBOX });
    expect(isWritten).toBe(true);
    expect(made?.result).toContain("/usr/y: Read-only file system");
    expect(made?.result).toContain("and has no network and no Unix sockets.)");
  });

  test.each(["Bash(curl:*)", "Read(.env)"])("asks as without one where a rule denies %s", async (rule) => {
    const { call: made, isWritten } = await tryToWrite({ sandbox: SANDBOX, deny: [rule] });
    expect(isWritten).toBe(false);
    expect(made?.result).toContain("has been denied");
  });

  test("changes nothing in plan mode, and asks without a sandbox", async () => {
    expect((await tryToWrite({ sandbox: SANDBOX, mode: "plan" })).isWritten).toBe(false);
    expect((await tryToWrite({})).isWritten).toBe(false);
  });

  test("tells the model and the person what a command created and was put aside, in the background as well", async () => {
    const script = [
      { blocks: [call("Bash", { command: "echo x > .envrc" })] },
      { blocks: [call("Bash", { command: "echo x > .mcp.json; sleep 0.3", run_in_background: true })] },
      { blocks: [call("Bash", { command: "true", description: "outside of it" })] },
      { blocks: [{ text: "Done." }] },
    ];
    const world = await startChat(script, {}, { mode: "default", sandbox: SANDBOX });
    await world.send("go");
    expect(callsOf(world)[0]?.result).toContain(".envrc was renamed to .envrc.sandboxed: ");
    await world.opened.news.next();
    expect(`${callsOf(world)[2]?.result}${world.opened.news.take()}`).toContain("renamed to .mcp.json.sandboxed: ");
    const notices = world.events.flatMap((event) => (event.kind === "notice" ? [event.text] : []));
    expect(notices.map((text) => /renamed to (\S+):/.exec(text)?.[1])).toEqual([
      ".envrc.sandboxed",
      ".mcp.json.sandboxed",
    ]);
  });

  test("puts nothing aside that a tool wrote with approval while a command runs", async () => {
    const script = [
      { blocks: [call("Bash", { command: "sleep 2", run_in_background: true })] },
      { blocks: [call("Write", { file_path: ".vscode/tasks.json", content: "{}" })] },
      { blocks: [call("Bash", { command: "sleep 0.1" })] },
      { blocks: [{ text: "Done." }] },
    ];
    const options = { sandbox: SANDBOX, mode: "default", allow: ["Edit(.vscode/**)"] } as const;
    const world = await startChat(script, {}, options);
    await world.send("go");
    expect(callsOf(world).map(({ status }) => status)).toEqual(["ok", "ok", "ok"]);
    expect(existsSync(join(world.place.project, ".vscode/tasks.json"))).toBe(true);
  });

  test("does not start where there is no sandbox, and says so in one line", async () => {
    const place = makePlace();
    const bin = join(place.home, "bin");
    mkdirSync(bin);
    for (const program of ["bash", "git", "sh"]) symlinkSync(`/bin/${program}`, join(bin, program));
    vi.stubEnv("PATH", bin);
    onTestFinished(() => void vi.unstubAllEnvs());
    const api = await startMockApi([]);
    onTestFinished(() => api.close());
    const asked = await runChat(["-p", "hi", "--sandbox"], place, api);
    expect(asked).toMatchObject({ exitCode: 1, stdout: "" });
    expect(asked.stderr).toMatch(
      /^[^\n]*no sandbox: bubblewrap \(bwrap\) is not installed\n[^\n]*apt install bubblewrap[^\n]*\n?$/,
    );
    mkdirSync(place.dataDir, { recursive: true });
    writeFileSync(join(place.dataDir, "config.json"), JSON.stringify({ sandbox: { enabled: true } }));
    expect((await runChat(["-p", "hi"], place, api)).stderr).toContain("with --no-sandbox if the settings");
    expect((await runChat(["-p", "hi", "--no-sandbox", "--sandbox-network"], place, api)).exitCode).toBe(2);
    expect(api.requests).toEqual([]);
  });
});
