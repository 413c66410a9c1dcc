import { expect, test } from "vitest";
import { runCli } from "../run-cli.js";

const ASK = `fetch(process.env.ANTHROPIC_BASE_URL + "/v1/messages", { method: "POST", body: JSON.stringify({
  model: "m", tools: [{ name: "Read", input_schema: {} }], messages: [{ role: "user", content: process.argv[1] }] }) })
  .then((answer) => answer.json()).then(({ id }) => process.exit(id.startsWith("msg_") ? 7 : 1))`;

test("a command after -- runs against the recorded answers and ends turnlog with its exit code", async () => {
  const { exitCode, stderr } = await runCli([
    "mock",
    "1a0a6e10",
    "--demo",
    "--fast",
    "--",
    process.execPath,
    "-e",
    ASK,
    "hello",
  ]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 7, stderr: "1. answer 1 (by position): hello\n" });
});

test("each request is a line of JSON with --json", async () => {
  const { stdout } = await runCli([
    "mock",
    "1a0a6e10",
    "--demo",
    "--fast",
    "--json",
    "--",
    process.execPath,
    "-e",
    ASK,
    "hello",
  ]);
  expect(JSON.parse(stdout)).toEqual({ number: 1, how: "position", agentId: null, answer: 1, said: "hello" });
});

test("without a command it serves until it is interrupted", async () => {
  const stop = new AbortController();
  const onStderr = (text: string) => text.includes("Ctrl-C") && stop.abort();
  const { exitCode, stdout, stderr } = await runCli(
    ["mock", "last", "--demo"],
    {},
    { interrupt: stop.signal, onStderr },
  );
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\n$/) });
  expect(stderr).toContain("ANTHROPIC_BASE_URL=http://127.0.0.1:");
});

test.each([
  [["mock", "--", "node"], "no session is named before `--`"],
  [["mock", "last", "--demo", "--port", "70000"], '--port must be a number below 65536, not "70000"'],
  [["mock", "last", "--demo", "--fast", "--speed", "2"], "--fast and --speed exclude each other"],
  [["mock", "last", "--demo", "--speed", "0"], '--speed must be a number above 0, not "0"'],
  [["mock", "last", "--demo", "--fault", "often"], "not a fault: often"],
  [["mock", "last", "--demo", "--", "no-such-program-here"], "cannot run no-such-program-here"],
])("%j is refused", async (args, message) => {
  const { exitCode, stdout, stderr } = await runCli(args);
  expect({ exitCode: [1, 2].includes(exitCode), stdout }).toEqual({ exitCode: true, stdout: "" });
  expect(stderr).toContain(`turnlog: ${message}`);
});
