import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makePlace, type Place } from "../chat-world.js";
import { startMockApi } from "../mock-api.js";
import { runChat, spawnChat } from "../spawn-chat.js";

const ARGS = ["--permission-mode", "bypassPermissions"];

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/** A chat that is killed while its command runs; returns the process that the command left. */
async function leaveProcess({ place, input }: { place: Place; input: object }): Promise<number> {
  const api = await startMockApi([{ blocks: [{ call: "Bash", input }] }, { blocks: [{ text: "Yes." }] }]);
  const spawned = spawnChat(["-p", "go", ...ARGS], place, api);
  const note = join(place.project, "pid");
  await expect.poll(() => existsSync(note) && readFileSync(note, "utf8").trim(), { timeout: 60_000 }).toBeTruthy();
  await expect.poll(() => readdirSync(join(place.dataDir, "children")).length, { timeout: 60_000 }).toBe(1);
  spawned.child.kill("SIGKILL");
  await spawned.end;
  await api.close();
  return Number(readFileSync(note, "utf8"));
}

test.each([
  ["in the foreground", { command: "sh -c 'echo $$ > pid; sleep 600; true'" }],
  ["in the background", { command: "echo $$ > pid; sleep 600; true", run_in_background: true }],
  ["whose shell has ended", { command: "(sleep 600; true) & echo $! > pid; sleep 600", timeout: 600_000 }],
])("a command %s that a killed chat left running is ended by the next one", async (_, input) => {
  const place = makePlace();
  const pid = await leaveProcess({ place, input });
  onTestFinished(() => void (isRunning(pid) && process.kill(pid, "SIGKILL")));
  expect(isRunning(pid)).toBe(true);
  const api = await startMockApi([{ blocks: [{ text: "Yes." }] }]);
  onTestFinished(() => api.close());
  expect(await runChat(["-p", "hi"], place, api)).toMatchObject({ exitCode: 0, stderr: "" });
  await expect.poll(() => isRunning(pid), { timeout: 10_000 }).toBe(false);
  expect(readdirSync(join(place.dataDir, "children"))).toEqual([]);
});

test("a command of a chat that still runs is left alone", async () => {
  const place = makePlace();
  const api = await startMockApi((_, index) => ({
    blocks: index === 0 ? [{ call: "Bash", input: { command: "echo $$ > pid; sleep 600" } }] : [{ text: "Yes." }],
  }));
  const spawned = spawnChat(["-p", "go", ...ARGS], place, api);
  onTestFinished(async () => {
    spawned.child.kill("SIGTERM");
    await spawned.end;
    await api.close();
  });
  const note = join(place.project, "pid");
  await expect.poll(() => existsSync(note) && readFileSync(note, "utf8").trim(), { timeout: 60_000 }).toBeTruthy();
  await runChat(["-p", "hi"], place, api);
  expect(isRunning(Number(readFileSync(note, "utf8")))).toBe(true);
});
