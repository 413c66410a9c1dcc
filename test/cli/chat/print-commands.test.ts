import { expect, onTestFinished, test } from "vitest";
import { makePlace } from "../../agent/chat-world.js";
import { type MockApi, startMockApi } from "../../agent/mock-api.js";
import { onlySession, runChat, sessionFiles } from "../../agent/spawn-chat.js";

async function mock(): Promise<MockApi> {
  const api = await startMockApi(({ system }) => ({
    blocks: [
      { text: JSON.stringify(system).includes("You sum up") ? "# Short\nso far" : `Long. ${"x".repeat(4_000)}` },
    ],
  }));
  onTestFinished(() => api.close());
  return api;
}

test("-p /compact compacts the session and sends no prompt", async () => {
  const [place, api] = [makePlace(), await mock()];
  await runChat(["-p", "hi"], place, api);
  const run = await runChat(["-p", "/compact keep the numbers", "-r", onlySession(place).path], place, api);
  expect(run).toMatchObject({ exitCode: 0, stdout: "Compacted\n", stderr: "" });
  const { session: after, problems, lines } = onlySession(place);
  expect(after.compactions).toMatchObject([{ trigger: "manual" }]);
  expect(after.turns.map(({ prompt }) => prompt)).toEqual(["hi"]);
  expect(JSON.stringify(api.requests.at(-1)?.messages)).toContain("keep the numbers");
  expect(lines.some(({ commandRun }) => commandRun !== undefined)).toBe(true);
  expect(problems).toEqual([]);
});

test("the result of a command is JSON where JSON is asked for", async () => {
  const [place, api] = [makePlace(), await mock()];
  const run = await runChat(["-p", "/model haiku", "--output-format", "json"], place, api);
  expect(JSON.parse(run.stdout)).toMatchObject({ subtype: "success", is_error: false, num_turns: 0 });
  expect(run.stdout).toContain("model: claude-haiku");
  expect(api.requests).toEqual([]);
  expect(sessionFiles(place)).toEqual([]);
});

test.each([
  ["/nothing", "unknown command /nothing (/help lists them)"],
  ["/clear", "this command is for an interactive chat (omit -p)"],
])("-p %s is an error that says what is wrong", async (command, text) => {
  const [place, api] = [makePlace(), await mock()];
  expect(await runChat(["-p", command], place, api)).toMatchObject({ exitCode: 1, stderr: `turnlog: ${text}\n` });
  expect(api.requests).toEqual([]);
});

test("a path at the start of a prompt is no command", async () => {
  const [place, api] = [makePlace(), await mock()];
  await runChat(["-p", "/usr/bin is full, why?"], place, api);
  expect(JSON.stringify(api.requests[0]?.messages)).toContain("/usr/bin is full");
});
