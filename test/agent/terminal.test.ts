import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makePlace } from "./chat-world.js";
import { type Script, startMockApi } from "./mock-api.js";
import { BIN, chatEnvironment, onlySession } from "./spawn-chat.js";

const CTRL_C = "\u0003";
const CTRL_U = "\u0015";
const UP = "\u001b[A";

async function openTerminal(script: Script, ...args: readonly string[]) {
  const place = makePlace();
  const api = await startMockApi(script);
  onTestFinished(() => api.close());
  const command = `'${process.execPath}' '${BIN}' chat ${args.join(" ")}`;
  const child = spawn("script", ["--quiet", "--return", "--flush", "--command", command, "/dev/null"], {
    cwd: place.project,
    env: { ...chatEnvironment(place, api), TERM: "xterm-256color", NO_COLOR: "1" },
  });
  onTestFinished(() => void child.kill());
  return { api, place, child };
}

/** The built program on a real pseudo-terminal, which `script` of util-linux gives it; types when it sees what it waits for. */
async function atTerminal(script: Script, steps: readonly (readonly [waitFor: string, type: string])[]) {
  const { api, place, child } = await openTerminal(script);
  const open = [...steps];
  let seen = "";
  const type = (): void => {
    const [step] = open;
    const at = step === undefined ? -1 : seen.indexOf(step[0]);
    if (step === undefined || at < 0) return;
    open.shift();
    seen = seen.slice(at + step[0].length);
    child.stdin.write(step[1]);
    type();
  };
  child.stdout.on("data", (text: Buffer) => {
    seen += text.toString();
    type();
  });
  const exitCode = await new Promise<number | null>((done) => child.once("close", done));
  expect(open).toEqual([]);
  expect(api.problems).toEqual([]);
  return { exitCode, file: onlySession(place) };
}

test("on a terminal words flow, typing takes a row of its own, Ctrl-C ends the turn, the arrow key brings a prompt back, and twice Ctrl-C leaves", async () => {
  const { exitCode, file } = await atTerminal(
    (_, index) =>
      index === 0 ? { fault: "hang", blocks: [{ text: "Let me think.\nWell, you" }] } : { blocks: [{ text: "Done." }] },
    [
      ["> ", "first\r"],
      ["Well, ", "typed"],
      ["\n> typed", `${CTRL_U}${CTRL_C}`],
      ["> ", UP],
      ["first", "\r"],
      ["Done.", ""],
      ["> ", CTRL_C],
      ["again", CTRL_C],
    ],
  );
  expect(exitCode).toBe(0);
  expect(file.session.turns.map(({ prompt, interrupted }) => [prompt, interrupted])).toEqual([
    ["first", true],
    ["first", false],
  ]);
  expect(file.problems).toEqual([]);
});

test("on a terminal a change is asked for with one key and Enter", async () => {
  const write = { blocks: [{ call: "Write", input: { file_path: "new.txt", content: "x" } }] };
  const { exitCode, file } = await atTerminal(
    [write, { blocks: [{ text: "Done." }] }],
    [
      ["> ", "write\r"],
      ["allow?", "y\r"],
      ["Done.", ""],
      ["> ", "/exit\r"],
    ],
  );
  expect(exitCode).toBe(0);
  expect(file.session.turns[0]?.toolCalls.map(({ status }) => status)).toEqual(["ok"]);
});

test("on a terminal Ctrl-C at a question answers none, and nothing more is asked in that turn", async () => {
  const options = ["Red", "Blue"].map((label) => ({ label, description: "" }));
  const question = (text: string) => ({ question: text, header: "Q", options });
  const fetch = (host: string) => ({ call: "WebFetch", input: { url: `http://${host}.invalid/`, prompt: "?" } });
  const { file } = await atTerminal(
    [
      { blocks: [{ call: "AskUserQuestion", input: { questions: [question("First?"), question("Second?")] } }] },
      { blocks: [fetch("one"), fetch("two")] },
    ],
    [
      ["> ", "ask\r"],
      ["a number", CTRL_C],
      ["interrupted", ""],
      ["> ", "fetch\r"],
      ["allow?", CTRL_C],
      ["interrupted", ""],
      ["> ", "/exit\r"],
    ],
  );
  const calls = file.session.turns.flatMap(({ toolCalls }) => toolCalls.map(({ status }) => status));
  expect(calls).toEqual(["interrupted", "interrupted", "interrupted"]);
  expect(file.problems).toEqual([]);
});

test("on a terminal a text of several lines that is pasted is one prompt, and Ctrl-C takes away what was typed", async () => {
  const { file } = await atTerminal(
    [{ blocks: [{ text: "Seen." }] }],
    [
      ["> ", "a slip"],
      ["slip", CTRL_C],
      ["taken away", ""],
      ["> ", `\u001b[200~another\rslip\u001b[201~${CTRL_C}`],
      ["taken away", ""],
      ["> ", "why? \u001b[200~one\rtwo\r\rthree\u001b[201~"],
      ["three", " and four\r"],
      ["Seen.", ""],
      ["> ", "/exit\r"],
    ],
  );
  expect(file.session.turns.map(({ prompt }) => prompt)).toEqual(["why? one\ntwo\n\nthree and four"]);
});

test("when the terminal goes away in the middle of a turn, what runs is ended and its result is recorded", async () => {
  const run = { blocks: [{ call: "Bash", input: { command: "echo $$ > pid; sleep 600" } }] };
  const { place, child } = await openTerminal([run], "--permission-mode", "bypassPermissions", "go");
  child.stdout.resume();
  const pidFile = join(place.project, "pid");
  await expect.poll(() => existsSync(pidFile) && readFileSync(pidFile, "utf8"), { timeout: 20_000 }).toMatch(/\d+\n/);
  const pid = Number(readFileSync(pidFile, "utf8"));
  child.kill("SIGKILL");
  await expect.poll(() => existsSync(`/proc/${pid}`), { timeout: 10_000 }).toBe(false);
  const statuses = () => onlySession(place).session.turns[0]?.toolCalls.map(({ status }) => status);
  await expect.poll(statuses, { timeout: 10_000 }).toEqual(["interrupted"]);
});
