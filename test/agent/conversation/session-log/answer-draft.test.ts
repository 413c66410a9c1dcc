import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { recoverDrafts } from "../../../../src/agent/conversation/session-log/answer-draft.js";
import { valueAt } from "../../../../src/format/json.js";
import { makePlace, type Place, sentMessages, startChat } from "../../chat-world.js";
import { startMockApi } from "../../mock-api.js";
import type { AnswerBlock } from "../../mock-stream.js";
import { BIN, chatEnvironment, onlySession, runChat, spawnChat } from "../../spawn-chat.js";

const HEARD: readonly AnswerBlock[] = [
  { thinking: "hm" },
  { text: "one" },
  { call: "Bash", input: { command: "touch ran" } },
  { text: "two" },
];

function draftsOf({ dataDir }: Place): string {
  const folder = join(dataDir, "answers");
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.map((name) => readFileSync(join(folder, name), "utf8")).join("");
}

/** A chat that is killed while an answer streams. */
async function killInAnswer(): Promise<Place> {
  const place = makePlace();
  const api = await startMockApi([{ fault: "hang", blocks: HEARD }]);
  const spawned = spawnChat(["-p", "go", "--permission-mode", "bypassPermissions"], place, api);
  await expect.poll(() => draftsOf(place), { timeout: 20_000 }).toContain('"text":"two"');
  spawned.child.kill("SIGKILL");
  await spawned.end;
  await api.close();
  expect(onlySession(place).lines.filter(({ type }) => type === "assistant")).toEqual([]);
  return place;
}

test("each record of an answer is written at its end, with stop reason and usage, and the time of its block", async () => {
  const seen: string[] = [];
  const world = await startChat([{ blocks: [{ text: "one" }, { text: "two" }, { text: "three" }] }], {
    onEvent: (event) => {
      if (event.kind !== "text-delta") return;
      seen.push(`${readFileSync(world.opened.log.path, "utf8").includes('"text":"one"')} ${draftsOf(world.place)}`);
    },
  });
  await world.send("go");
  expect(seen.at(-1)).toMatch(/^false .*"text":"one".*"text":"two"/s);
  const answers = world.file.lines.filter(({ type }) => type === "assistant");
  expect(answers.map((line) => valueAt(line, "message", "stop_reason"))).toEqual(Array(3).fill("end_turn"));
  expect(answers.map((line) => valueAt(line, "message", "usage", "output_tokens"))).toEqual([20, 20, 20]);
  expect(draftsOf(world.place)).toBe("");
});

test("what a killed chat had heard of an answer is in its session after the next start of any chat, without calls", async () => {
  const place = await killInAnswer();
  const { path } = onlySession(place);
  await recoverDrafts(place.dataDir);
  const { lines, problems } = onlySession(place);
  const answers = lines.filter(({ type }) => type === "assistant");
  expect(problems).toEqual([]);
  expect(answers.map((line) => valueAt(line, "message", "content"))).toMatchObject([
    [{ type: "thinking" }],
    [{ type: "text", text: "one" }],
    [{ type: "text", text: "two" }],
  ]);
  expect(answers.map((line) => line["isAbortedMidStream"])).toEqual([true, true, true]);
  const chain = lines.filter(({ type }) => type === "user" || type === "assistant");
  expect(chain.slice(1).map((line) => line["parentUuid"])).toEqual(chain.slice(0, -1).map((line) => line["uuid"]));
  expect(draftsOf(place)).toBe("");
  await recoverDrafts(place.dataDir);
  const world = await startChat([{ blocks: [{ text: "Done." }] }], { place }, { session: resume(path) });
  await world.send("go on");
  expect(JSON.stringify(sentMessages(world.api))).toContain('"text":"two"');
  expect(world.api.problems).toEqual([]);
});

test("also behind a record of more than four megabytes", async () => {
  const place = await killInAnswer();
  const { path } = onlySession(place);
  const [first = "", ...rest] = readFileSync(path, "utf8").trimEnd().split("\n").toReversed();
  const long = { ...JSON.parse(first), toolUseResult: "x".repeat(5_000_000) };
  writeFileSync(path, `${[...rest.toReversed(), JSON.stringify(long)].join("\n")}\n`);
  await recoverDrafts(place.dataDir);
  expect(onlySession(place).lines.filter(({ type }) => type === "assistant")).toHaveLength(3);
});

test("the command itself does so when it starts", async () => {
  const place = await killInAnswer();
  const api = await startMockApi([{ blocks: [{ text: "Done." }] }]);
  onTestFinished(() => api.close());
  expect(await runChat(["-p", "go on", "-c"], place, api)).toMatchObject({ exitCode: 0, stdout: "Done.\n" });
  expect(api.problems).toEqual([]);
  expect(JSON.stringify(api.requests.at(-1))).toContain('"text":"two"');
  expect(onlySession(place).problems).toEqual([]);
});

test("what another program went on without is not added", async () => {
  const place = await killInAnswer();
  const { path, lines } = onlySession(place);
  const prompt = lines.find(({ type }) => type === "user");
  const next = { ...prompt, uuid: "aaaaaaaa-0000-4000-8000-000000000001", parentUuid: prompt?.["uuid"] };
  appendFileSync(path, `${JSON.stringify(next)}\n`);
  const before = readFileSync(path, "utf8");
  await recoverDrafts(place.dataDir);
  expect(readFileSync(path, "utf8")).toBe(before);
  expect(draftsOf(place)).toBe("");
});

test("nothing is kept of an answer where no transcript is to be kept", async () => {
  const place = makePlace();
  const api = await startMockApi([{ fault: "hang", blocks: HEARD }]);
  onTestFinished(() => api.close());
  const env = { ...chatEnvironment(place, api), CLAUDE_CODE_SKIP_PROMPT_HISTORY: "1" };
  const chat = spawn(process.execPath, [BIN, "chat", "-p", "go"], { cwd: place.project, env, stdio: "ignore" });
  onTestFinished(() => void chat.kill("SIGKILL"));
  await expect.poll(() => api.requests.length, { timeout: 20_000 }).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(draftsOf(place)).toBe("");
});

function resume(path: string) {
  return { kind: "resume", path, isFork: false } as const;
}
