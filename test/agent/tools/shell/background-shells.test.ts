import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { UnreadOutput } from "../../../../src/agent/tools/shell/shells.js";
import { type ChatWorld, makePlace, startChat } from "../../chat-world.js";
import { startMockApi } from "../../mock-api.js";
import type { AnswerBlock } from "../../mock-stream.js";
import { onlySession, runChat, spawnChat } from "../../spawn-chat.js";

const call = (name: string, input: object): AnswerBlock => ({ call: name, input });

/** Starts a command in the background, then makes these calls with its id, each in an answer of its own. */
function playWith(command: string, calls: (id: string) => readonly AnswerBlock[]) {
  return (request: { messages: unknown }, index: number) => {
    const [, id = ""] = /with ID: (b[0-9a-f]+)/.exec(JSON.stringify(request.messages)) ?? [];
    const made = [call("Bash", { command, run_in_background: true }), ...calls(id)][index];
    return { blocks: made ? [made] : [{ text: "Done." }] };
  };
}

async function results(command: string, calls: (id: string) => readonly AnswerBlock[]) {
  const world = await startChat(playWith(command, calls));
  await world.send("go");
  expect(world.api.problems).toEqual([]);
  return { world, calls: callsOf(world).slice(1) };
}

const callsOf = ({ file }: ChatWorld) => file.session.turns.flatMap(({ toolCalls }) => toolCalls);

test("what a command in the background prints is waited for, and it can be killed", async () => {
  const { calls, world } = await results("sleep 0.3; echo started; sleep 60", (id) => [
    call("BashOutput", { bash_id: id }),
    call("KillShell", { shell_id: id }),
    call("BashOutput", { bash_id: "none" }),
    call("BashOutput", { bash_id: id, filter: "(" }),
  ]);
  expect(calls[0]?.result).toBe("<status>running</status>\n<stdout>\nstarted\n\n</stdout>");
  expect(calls.map(({ status }) => status)).toEqual(["ok", "ok", "error", "error"]);
  expect(world.opened.shells.running).toEqual([]);
});

test("output without end comes in parts, and the turn goes on however often it is asked for", async () => {
  const { calls } = await results("seq 1 20000", (id) => [
    call("Bash", { command: "sleep 0.5" }),
    ...Array.from({ length: 6 }, () => call("BashOutput", { bash_id: id })),
  ]);
  const numbers = calls.flatMap(({ result }) => result?.match(/^\d+$/gm) ?? []);
  expect(calls.map(({ status }) => status)).toEqual(calls.map(() => "ok"));
  expect(calls[1]?.result).toContain("… (ask again for more)");
  expect(Math.max(...calls.map(({ result }) => result?.length ?? 0))).toBeLessThan(31_000);
  expect(numbers).toContain("1");
  expect(numbers).toContain("20000");
});

test("a filter looks through all that is new", async () => {
  const { calls } = await results("seq 1 20000", (id) => [
    call("Bash", { command: "sleep 0.5" }),
    call("BashOutput", { bash_id: id, filter: "^1999\\d$" }),
  ]);
  expect(calls[1]?.result).toContain("<stdout>\n19990\n");
});

test("of output that nobody reads the newest is kept, and what is missing is told", () => {
  const output = new UnreadOutput(10);
  for (const text of ["aaaaa", "bbbbb", "ccccc", "é"]) output.add(Buffer.from(text));
  expect(output.take(7)).toEqual({ text: "cccccé", dropped: 10 });
  expect(output.isEmpty).toBe(true);
  output.add(Buffer.from("ddd"));
  expect([output.take(2), output.take(2)]).toEqual([
    { text: "dd", dropped: 0 },
    { text: "d", dropped: 0 },
  ]);
});

test.each<readonly [string, string, (id: string) => readonly AnswerBlock[]]>([
  ["killed", "sleep 60", (id) => [call("KillShell", { shell_id: id })]],
  ["read to its end", "exit 3", (id) => [call("Bash", { command: "sleep 0.4" }), call("BashOutput", { bash_id: id })]],
])("what the model has %s itself is not told to it again", async (_, command, calls) => {
  const place = makePlace();
  const api = await startMockApi(playWith(command, calls));
  onTestFinished(() => api.close());
  const run = await runChat(["-p", "go", "--permission-mode", "bypassPermissions"], place, api);
  expect(run).toMatchObject({ exitCode: 0, stdout: "Done.\n", stderr: "" });
  expect(onlySession(place).session.turns.map(({ kind }) => kind)).toEqual(["prompt"]);
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "%s ends the chat, and what runs in the background with it",
  async (signal) => {
    const place = makePlace();
    const api = await startMockApi((_, index) =>
      index === 0
        ? { blocks: [call("Bash", { command: "echo $$ > pid; sleep 600", run_in_background: true })] }
        : { fault: "hang" },
    );
    onTestFinished(() => api.close());
    const spawned = spawnChat(["-p", "go", "--permission-mode", "bypassPermissions"], place, api);
    const pidFile = join(place.project, "pid");
    await expect.poll(() => existsSync(pidFile) && api.requests.length === 2, { timeout: 20_000 }).toBe(true);
    spawned.child.kill(signal);
    expect(await spawned.end).toMatchObject({ exitCode: 130 });
    const pid = Number(readFileSync(pidFile, "utf8"));
    await expect.poll(() => isAlive(pid)).toBe(false);
    expect(onlySession(place).problems).toEqual([]);
  },
);

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
