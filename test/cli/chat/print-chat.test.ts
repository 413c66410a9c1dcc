import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { readPipedPrompt } from "../../../src/cli/chat/read-messages.js";
import { isRecordingOff } from "../../../src/cli/chat/to-chat-options.js";
import { main } from "../../../src/cli/main.js";
import { stringAt, valueAt } from "../../../src/format/json.js";
import { makePlace, readRecorded } from "../../agent/chat-world.js";
import { type MockApi, type Script, startMockApi } from "../../agent/mock-api.js";
import {
  type ChatRun,
  chatEnvironment,
  onlySession,
  runChat,
  sessionFiles,
  spawnChat,
} from "../../agent/spawn-chat.js";
import { captureWorld, runCli } from "../run-cli.js";

async function mock(script: Script): Promise<MockApi> {
  const api = await startMockApi(script);
  onTestFinished(() => api.close());
  return api;
}

const linesOf = ({ stdout }: ChatRun) =>
  stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as object);

test("a prompt is answered, printed and recorded", async () => {
  const place = makePlace();
  const api = await mock([{ blocks: [{ text: "Four." }] }]);
  const run = await runChat(["-p", "two and two?"], place, api);
  expect(run).toMatchObject({ exitCode: 0, stdout: "Four.\n", stderr: "" });
  const { session, problems, lines } = onlySession(place);
  expect(session.turns.map(({ prompt }) => prompt)).toEqual(["two and two?"]);
  expect(lines.slice(0, 2).map((line) => stringAt(line, "operation"))).toEqual(["enqueue", "dequeue"]);
  expect(problems).toEqual([]);
});

test("nothing is kept where CLAUDE_CODE_SKIP_PROMPT_HISTORY says so, of a resumed session neither", async () => {
  const place = makePlace();
  const api = await mock([
    { blocks: [{ text: "Four." }] },
    { blocks: [{ text: "Five." }] },
    { blocks: [{ text: "Six." }] },
  ]);
  await runChat(["-p", "two and two?"], place, api);
  const [path = ""] = sessionFiles(place);
  const before = readFileSync(path, "utf8");
  const env = { ...(chatEnvironment(place, api) as Record<string, string>), CLAUDE_CODE_SKIP_PROMPT_HISTORY: "1" };
  const chat = (...args: string[]) => runCli(["chat", "-p", ...args], env, { cwd: place.project });
  const resumed = await chat("and one more?", "--continue");
  expect(resumed).toMatchObject({ exitCode: 0, stdout: "Five.\n" });
  expect(resumed.stderr).toContain("this conversation is not kept");
  expect((await chat("three and three?")).stdout).toBe("Six.\n");
  expect(sessionFiles(place)).toEqual([path]);
  expect(readFileSync(path, "utf8")).toBe(before);
});

test.each([
  [{ CLAUDE_CODE_CHILD_SESSION: "1" }, true, true],
  [{ CLAUDE_CODE_CHILD_SESSION: "1" }, false, false],
  [{ CLAUDE_CODE_CHILD_SESSION: "1", TMUX: "/tmp/tmux" }, true, false],
  [{ CLAUDE_CODE_CHILD_SESSION: "1", CLAUDE_CODE_FORCE_SESSION_PERSISTENCE: "1" }, true, false],
  [{ CLAUDE_CODE_SKIP_PROMPT_HISTORY: "0" }, true, false],
  [{}, true, false],
])("with %j, in a terminal: %s, recording is off: %s", (env, isInteractive, isOff) => {
  expect(isRecordingOff(env, isInteractive)).toBe(isOff);
});

test("one folder for all projects is used where CLAUDE_CODE_PROJECT_DIR_NAME names it, and --continue stays in its project", async () => {
  const place = makePlace();
  const api = await mock([
    { blocks: [{ text: "Four." }] },
    { blocks: [{ text: "Here." }] },
    { blocks: [{ text: "Five." }] },
  ]);
  const env = { ...(chatEnvironment(place, api) as Record<string, string>), CLAUDE_CODE_PROJECT_DIR_NAME: "work_1" };
  const chat = (cwd: string, ...args: string[]) => runCli(["chat", "-p", ...args], env, { cwd });
  await chat(place.project, "two and two?");
  await chat(place.home, "where?");
  expect((await chat(place.project, "and one more?", "--continue")).exitCode).toBe(0);
  const turns = sessionFiles(place).map((path) => [basename(dirname(path)), readRecorded(path).session.turns.length]);
  expect(turns.toSorted()).toEqual([
    ["work_1", 1],
    ["work_1", 2],
  ]);
});

test("piped text is added to the prompt", async () => {
  const place = makePlace();
  const api = await mock([{ blocks: [{ text: "A log." }] }]);
  await runChat(["-p", "what is this?"], place, api, "line 1\nline 2\n");
  expect(onlySession(place).session.turns[0]?.prompt).toBe("what is this?\n\nline 1\nline 2\n");
});

test("once something comes through the pipe it is read to its end, however long that takes", async () => {
  const stream = new PassThrough();
  stream.write("one ");
  setTimeout(() => stream.end("two"), 30);
  const { signal } = new AbortController();
  const onSilence = () => expect.unreachable();
  expect(await readPipedPrompt(stream, { signal, patienceMs: 1, onSilence })).toBe("one two");
});

test("a pipe through which nothing comes is not waited for, which is told", async () => {
  const told: number[] = [];
  const options = { signal: new AbortController().signal, patienceMs: 1, onSilence: (ms: number) => told.push(ms) };
  expect(await readPipedPrompt(new PassThrough(), options)).toBe("");
  expect(told).toEqual([1]);
});

test.each([[[]], [["--input-format", "stream-json"]]])(
  "an interrupt while the prompt is waited for ends the chat, with %j",
  async (more) => {
    const place = makePlace();
    const env = { CLAUDE_CONFIG_DIR: place.configRoot, TURNLOG_DATA_DIR: place.dataDir, ANTHROPIC_API_KEY: "key" };
    const interrupt = new AbortController();
    const { io } = captureWorld(env, { cwd: place.project, interrupt: interrupt.signal });
    const stdin = new PassThrough();
    const end = main(["chat", "-p", ...more], { ...io, stdin: () => stdin });
    await expect
      .poll(() => stdin.listenerCount("data") + stdin.listenerCount("readable"), { timeout: 10_000 })
      .toBeGreaterThan(0);
    interrupt.abort();
    expect(await end).toBe(130);
    expect(stdin.destroyed).toBe(true);
  },
);

test.each([
  "garbage {",
  '{"type":"user"}',
  '{"type":"user","message":{"role":"user","content":"  "}}',
  '{"type":"user","message":{"role":"user","content":[]}}',
  '{"type":"user","message":{"role":"user","content":[{"type":"text","text":""}]}}',
  '{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":"y"}]}}',
])("the line %s is refused before it is recorded, after what came before it was answered", async (line) => {
  const place = makePlace();
  const api = await mock([{ blocks: [{ text: "One." }] }]);
  const first = JSON.stringify({ type: "user", message: { role: "user", content: "first" } });
  const args = ["-p", "--input-format", "stream-json"];
  const run = await runChat(args, place, api, `${first}\n\n${line}\n`);
  expect(run).toMatchObject({ exitCode: 2, stdout: "One.\n" });
  expect(run.stderr).toContain("turnlog: not a message: ");
  expect(onlySession(place).session.turns).toHaveLength(1);
});

test("stream-json tells init, every message and the result, as the client does", async () => {
  const place = makePlace({ "a.txt": "alpha\n" });
  const api = await mock([
    { blocks: [{ text: "Reading." }, { call: "Read", input: { file_path: "a.txt" } }] },
    { blocks: [{ text: "It says alpha." }] },
  ]);
  const run = await runChat(["-p", "read", "--output-format", "stream-json"], place, api);
  const messages = linesOf(run);
  expect(messages.map((message) => stringAt(message, "type"))).toEqual([
    "system",
    "assistant",
    "assistant",
    "user",
    "assistant",
    "result",
  ]);
  expect(messages[0]).toMatchObject({ subtype: "init", cwd: place.project, permissionMode: "default" });
  expect(messages[1]).toMatchObject({ request_id: "req_0", timestamp: expect.stringMatching(/^20/) });
  expect(messages.at(-1)).toMatchObject({
    subtype: "success",
    is_error: false,
    num_turns: 2,
    result: "It says alpha.",
    stop_reason: "end_turn",
  });
  expect(new Set(messages.map((message) => stringAt(message, "session_id"))).size).toBe(1);
});

test("stream-json tells of a summary", async () => {
  const api = await mock(({ system }, index) =>
    JSON.stringify(system).includes("You sum up")
      ? { blocks: [{ text: "# Short" }] }
      : { blocks: [index > 2 ? { text: "Done." } : { call: "Bash", input: { command: "pwd" } }], inputTokens: 5_000 },
  );
  const run = await runChat(["-p", "go", "--output-format", "stream-json", "--compact-at", "4000"], makePlace(), api);
  expect(linesOf(run)).toContainEqual(
    expect.objectContaining({
      type: "system",
      subtype: "compact_boundary",
      compact_metadata: expect.objectContaining({ trigger: "auto", pre_tokens: expect.any(Number) }),
    }),
  );
  expect(linesOf(run)).toContainEqual(expect.objectContaining({ type: "user", isSynthetic: true }));
});

test("when nobody reads the stream any more, the turn is interrupted and every call has its result", async () => {
  const place = makePlace();
  const api = await mock([{ blocks: [{ text: "Wait." }, { call: "Bash", input: { command: "sleep 30" } }] }]);
  const args = ["-p", "go", "--output-format", "stream-json", "--allowed-tools", "Bash"];
  const { child, end } = spawnChat(args, place, api);
  child.stdout?.once("data", () => child.stdout?.destroy());
  expect((await end).exitCode).toBe(130);
  expect(onlySession(place).session.totals.orphanToolCalls).toBe(0);
});

test("json is one result with cost and usage", async () => {
  const api = await mock([{ blocks: [{ text: "Hi." }] }]);
  const run = await runChat(["-p", "hi", "--output-format", "json"], makePlace(), api);
  expect(linesOf(run)).toMatchObject([
    { type: "result", result: "Hi.", usage: { input_tokens: 100, output_tokens: 20 } },
  ]);
});

test("with --input-format stream-json each line is a turn of one session", async () => {
  const place = makePlace();
  const api = await mock([{ blocks: [{ text: "One." }] }, { blocks: [{ text: "Two." }] }]);
  const line = (content: string) => JSON.stringify({ type: "user", message: { role: "user", content } });
  const args = ["-p", "--input-format", "stream-json", "--output-format", "stream-json"];
  const run = await runChat(args, place, api, `${line("first")}\n${line("second")}\n`);
  expect(linesOf(run).map((message) => stringAt(message, "type"))).toEqual([
    ...["system", "assistant", "result"],
    ...["system", "assistant", "result"],
  ]);
  const results = linesOf(run).filter((message) => stringAt(message, "type") === "result");
  expect(results.map((result) => valueAt(result, "usage", "output_tokens"))).toEqual([20, 20]);
  expect(results.map((result) => valueAt(result, "modelUsage", "claude-opus-5-5", "outputTokens"))).toEqual([20, 40]);
  expect(onlySession(place).session.turns.map(({ prompt }) => prompt)).toEqual(["first", "second"]);
});

test("an error of the API is an answer in the stream, a limit is none", async () => {
  const args = ["-p", "go", "--output-format", "stream-json", "--max-turns", "1"];
  const fault: Script = [{ fault: "status", status: 400, type: "invalid_request_error", message: "too poor" }];
  const [, told, failed] = linesOf(await runChat(args, makePlace(), await mock(fault)));
  expect(told).toMatchObject({ type: "assistant", is_api_error_message: true, api_error_status: 400 });
  const result = "API Error: 400 too poor";
  expect(failed).toMatchObject({ subtype: "success", is_error: true, result, api_error_status: 400 });
  const calls: Script = [{ blocks: [{ call: "Glob", input: { pattern: "*" } }] }];
  const limited = linesOf(await runChat(args, makePlace(), await mock(calls))).at(-1);
  const errors = ["stopped after 1 answer (--max-turns)"];
  expect(limited).toMatchObject({ subtype: "error_max_turns", is_error: true, errors, stop_reason: "tool_use" });
});

test("without a terminal an ask is a denial that says how to allow it", async () => {
  const place = makePlace();
  const call = { blocks: [{ call: "Write", input: { file_path: "new.txt", content: "x" } }] };
  const api = await mock([call, { blocks: [{ text: "I may not." }] }]);
  const run = await runChat(["-p", "write", "--output-format", "json"], place, api);
  expect(linesOf(run)).toMatchObject([{ permission_denials: [{ tool_name: "Write" }] }]);
  const { session } = onlySession(place);
  expect(session.turns[0]?.toolCalls[0]).toMatchObject({ status: "denied" });
  expect(session.turns[0]?.toolCalls[0]?.result).toContain(`--allowed-tools "Edit(/${place.project}/**)"`);
  expect(existsSync(join(place.project, "new.txt"))).toBe(false);
});

test("a denial in dontAsk mode names the mode, and one of a file that others execute says so", async () => {
  const call = { blocks: [{ call: "Write", input: { file_path: ".github/workflows/ci.yml", content: "x" } }] };
  const api = await mock([call, { blocks: [{ text: "I may not." }] }]);
  const run = await runChat(["-p", "write", "--permission-mode", "dontAsk"], makePlace(), api);
  expect(run.stderr).toContain(
    "ci.yml can make another program run code, such as git, a shell, an editor or CI, and dontAsk mode does not ask. To allow it,",
  );
});

test("a denial is told on stderr to whoever reads the last words only", async () => {
  const place = makePlace();
  const api = await mock([
    { blocks: [{ call: "Write", input: { file_path: "new.txt", content: "x" } }] },
    { blocks: [{ text: "I could not." }] },
  ]);
  const run = await runChat(["-p", "write"], place, api);
  expect(run.stdout).toBe("I could not.\n");
  expect(run.stderr).toMatch(/^turnlog: Permission to use Write has been denied: .+--allowed-tools.+\n$/);
});

test("--allowed-tools and settings allow, and a deny of the settings wins", async () => {
  const place = makePlace();
  mkdirSync(join(place.project, ".claude"));
  const settings = { permissions: { allow: ["Write"], deny: ["Edit(secret/**)"] } };
  writeFileSync(join(place.project, ".claude", "settings.json"), JSON.stringify(settings));
  const write = (file: string) => ({ call: "Write", input: { file_path: file, content: "x" } });
  const api = await mock([{ blocks: [write("open.txt"), write("secret/key.txt")] }, { blocks: [{ text: "Half." }] }]);
  await runChat(["-p", "write", "--allowed-tools", "Write"], place, api);
  expect(existsSync(join(place.project, "open.txt"))).toBe(true);
  expect(existsSync(join(place.project, "secret/key.txt"))).toBe(false);
});

test("what may not be read is not found by a search", async () => {
  const place = makePlace({ "open.txt": "needle\n", "secret/key.txt": "needle\n" });
  const grep = (mode: string) => ({ call: "Grep", input: { pattern: "needle", output_mode: mode } });
  const api = await mock([{ blocks: [grep("content"), grep("files_with_matches")] }, { blocks: [{ text: "One." }] }]);
  await runChat(["-p", "search", "--disallowed-tools", "Read(secret/**)"], place, api);
  const results = onlySession(place).session.turns[0]?.toolCalls.map(({ result }) => result);
  expect(results).toEqual([`${place.project}/open.txt:1:needle`, `Found 1 files\n${place.project}/open.txt`]);
});

test.each<readonly [string, Script, readonly string[], number]>([
  ["an API error", [{ fault: "status", status: 400, type: "invalid_request_error" }], [], 1],
  ["a refusal", [{ blocks: [{ text: "No." }], stop: "refusal" }], [], 1],
  [
    "--max-turns",
    () => ({ blocks: [{ call: "Bash", input: { command: `echo ${Math.random()}` } }] }),
    ["--max-turns", "2"],
    3,
  ],
])("%s has an exit code of its own", async (_, script, args, exitCode) => {
  const run = await runChat(["-p", "go", ...args], makePlace(), await mock(script));
  expect(run.exitCode).toBe(exitCode);
  expect(run.stderr).toMatch(/^turnlog: /);
});

test.each<readonly [string, readonly string[], string]>([
  ["no key", [], "no API key"],
  ["an unknown session", ["-r", "nothing-like-it"], "no session"],
  ["--fork-session alone", ["--fork-session"], "need a session"],
  ["a bad rule", ["--allowed-tools", "(("], "not a permission rule"],
  ["a bad number", ["--max-turns", "many"], "--max-turns must be a number"],
  ["half a token", ["--max-tokens", "1.5"], "--max-tokens must be a whole number"],
  ["a folder that is none", ["--add-dir", "nowhere"], "nowhere is not a folder"],
  ["a budget that leaves no answer", ["--thinking", "32000"], "--thinking 32000 must be smaller than"],
  ["a limit that cannot be kept", ["--max-cost", "1", "--model", "unheard-of"], "no price for unheard-of"],
])("%s is told in one line", async (name, args, message) => {
  const place = makePlace();
  const key = name === "no key" ? "" : "key";
  const env = { CLAUDE_CONFIG_DIR: place.configRoot, TURNLOG_DATA_DIR: place.dataDir, ANTHROPIC_API_KEY: key };
  const run = await runCli(["chat", "-p", "hi", ...args], env, { cwd: place.project });
  expect(run.exitCode).toBeGreaterThan(0);
  expect(run.stderr).toContain(message);
});

test("--continue, --resume and --fork-session go on where a session ended", async () => {
  const place = makePlace();
  const api = await mock((_, index) => ({ blocks: [{ thinking: `thought ${index}` }, { text: `Answer ${index}.` }] }));
  await runChat(["-p", "one"], place, api);
  await runChat(["-p", "two", "--continue"], place, api);
  const first = onlySession(place);
  expect(first.session.turns.map(({ prompt }) => prompt)).toEqual(["one", "two"]);
  await runChat(["-p", "three", "--resume", basename(first.path, ".jsonl"), "--fork-session"], place, api);
  expect(sessionFiles(place)).toHaveLength(2);
  expect(readFileSync(first.path, "utf8")).not.toContain("three");
  expect(api.requests[2]?.messages).toHaveLength(5);
  expect(api.problems).toEqual([]);
});

test("a command in the background is waited for, which is noted, and its end is a turn of its own", async () => {
  const place = makePlace();
  const command = 'until grep -rqs "waiting_for[_]task" "$CLAUDE_CONFIG_DIR/projects"; do sleep 0.05; done';
  const api = await mock([
    { blocks: [{ call: "Bash", input: { command, run_in_background: true } }] },
    { blocks: [{ text: "Started." }] },
    { blocks: [{ text: "It has ended." }] },
  ]);
  const flags = ["--permission-mode", "bypassPermissions", "--output-format", "json"];
  const run = await runChat(["-p", "wait for it", ...flags], place, api);
  expect(run.exitCode).toBe(0);
  expect(linesOf(run)).toMatchObject([{ result: "It has ended.", num_turns: 3 }]);
  const { lines, session } = onlySession(place);
  expect(session.turns.map(({ kind }) => kind)).toEqual(["prompt", "notification"]);
  expect(lines.find(({ type }) => type === "progress")).toMatchObject({
    data: { type: "waiting_for_task", taskType: "local_bash", taskDescription: command },
  });
});

test.each([
  [{ status: 401, type: "authentication_error", message: "bad key" }, "bad key\n  check ANTHROPIC_API_KEY"],
  [
    { status: 404, type: "not_found_error", message: "model: nonsense" },
    "model: nonsense\n  choose another one with --model or /model",
  ],
])("an error of the API is told with what can be done: %o", async (fault, told) => {
  const run = await runChat(["-p", "hi"], makePlace(), await mock([{ fault: "status", ...fault }]));
  expect(run).toMatchObject({ exitCode: 1, stdout: "" });
  expect(run.stderr).toContain(`turnlog: the API returned no answer: ${told}`);
});

test("an empty name of a model is none", async () => {
  const place = makePlace();
  const api = await mock([{ blocks: [{ text: "Hi." }] }]);
  const env = { ...chatEnvironment(place, api), ANTHROPIC_MODEL: "" } as Record<string, string>;
  await runCli(["chat", "-p", "hi"], env, { cwd: place.project });
  expect(api.requests[0]?.model).toBe("claude-opus-5-5");
});

test("an address that is none is refused before anything is recorded", async () => {
  const place = makePlace();
  const run = await runChat(["-p", "hi"], place, { url: "nonsense" });
  expect(run).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("ANTHROPIC_BASE_URL is not a URL") });
  expect(existsSync(place.configRoot)).toBe(false);
});
