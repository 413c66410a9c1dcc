import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makePlace } from "../../agent/chat-world.js";
import { type Script, startMockApi } from "../../agent/mock-api.js";
import { BIN, chatEnvironment, onlySession } from "../../agent/spawn-chat.js";
import { showOnScreen } from "../../render/terminal/screen.js";

const CTRL_C = "\u0003";
const CTRL_Z = "\u001a";
const CTRL_U = "\u0015";
const UP = "\u001b[A";
const LEFT = "\u001b[D";
const pasted = (text: string) => `\u001b[200~${text}\u001b[201~`;

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
async function atTerminal(
  script: Script,
  steps: readonly (readonly [waitFor: string, type: string])[],
  ...args: readonly string[]
) {
  const { api, place, child } = await openTerminal(script, ...args);
  const open = [...steps];
  let seen = "";
  let written = "";
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
    written += text.toString();
    type();
  });
  const exitCode = await new Promise<number | null>((done) => child.once("close", done));
  expect(open).toEqual([]);
  expect(api.problems).toEqual([]);
  const { lines } = await showOnScreen(written, 80);
  return { exitCode, file: onlySession(place), screen: lines.join("\n") };
}

test("on a terminal words flow, typing takes a row of its own, Ctrl-C ends the turn, the arrow key brings a prompt back, and twice Ctrl-C leaves", async () => {
  const { exitCode, file } = await atTerminal(
    (_, index) =>
      index === 0 ? { fault: "hang", blocks: [{ text: "Let me think.\nWell, you" }] } : { blocks: [{ text: "Done." }] },
    [
      ["> ", "first\r"],
      ["Well,", "typed"],
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
      ["input cleared", ""],
      ["> ", `\u001b[200~another\rslip\u001b[201~${CTRL_C}`],
      ["input cleared", ""],
      ["> ", "why? \u001b[200~one\rtwo\r\rthree\u001b[201~"],
      ["three", " and four\r"],
      ["Seen.", ""],
      ["> ", "/exit\r"],
    ],
  );
  expect(file.session.turns.map(({ prompt }) => prompt)).toEqual(["why? one\ntwo\n\nthree and four"]);
});

test("on a terminal a prompt of several rows is edited and pasted into, and is there once", async () => {
  const long = "word ".repeat(30);
  const { file, screen } = await atTerminal(
    [{ blocks: [{ text: "Seen." }] }],
    [
      ["> ", `${long}end`],
      ["end", `${LEFT.repeat(3)}${pasted("the very ")}`],
      ["very end", "X"],
      ["Xend", "\r"],
      ["Seen.", ""],
      ["> ", "/exit\r"],
    ],
  );
  expect(file.session.turns.map(({ prompt }) => prompt)).toEqual([`${long}the very Xend`]);
  const rows = [`> ${long}`.slice(0, 80), `> ${long}the very Xend`.slice(80, 160), `${long}the very Xend`.slice(158)];
  expect(screen).toContain(`\n${rows.join("\n")}\nSeen.\n`);
  expect(screen.split("> word")).toHaveLength(2);
});

test("on a terminal the arrow keys bring back prompts as a whole, and neither answers nor words at a question", async () => {
  const write = { blocks: [{ call: "Write", input: { file_path: "new.txt", content: "x" } }] };
  const { file, screen } = await atTerminal(
    (_, index) => (index === 0 ? write : { blocks: [{ text: `Answer ${index}.` }] }),
    [
      ["> ", `${pasted("one\rtwo\rthree")}\r`],
      ["allow?", "and four\r"],
      ["Answer 1.", ""],
      ["> ", `${UP}\r`],
      ["Answer 2.", ""],
      ["> ", "/exit\r"],
    ],
  );
  const [first, second] = file.session.turns;
  expect(first?.toolCalls[0]?.personsWords).toMatchObject([{ text: "and four" }]);
  expect(second?.prompt).toBe("one\ntwo\nthree");
  expect(screen).toContain("or say what to do instead and four\n");
});

test("on a terminal a question from the background leaves the prompt as it was, and what is typed after it is no answer", async () => {
  const launch = {
    description: "Write",
    prompt: "write it",
    subagent_type: "general-purpose",
    run_in_background: true,
  };
  const { file, screen } = await atTerminal(
    ({ messages }) => {
      const asked = JSON.stringify(messages);
      if (asked.includes("a prompt")) return { blocks: [{ text: "Answered." }] };
      if (!asked.includes("write it")) return { blocks: [{ call: "Task", input: launch }] };
      if (asked.includes("agentId")) return { blocks: [{ text: "Launched." }] };
      if (asked.includes("tool_result")) return { fault: "hang", blocks: [] };
      return { blocks: [{ call: "Write", input: { file_path: "new.txt", content: "x" } }], paceMs: 100 };
    },
    [
      ["> ", "launch\r"],
      ["Launched.", ""],
      ["> ", "a pro"],
      ["allow?", "mpt\r"],
      ["Answered.", ""],
      ["allow?", "y\r"],
      ["new.txt", ""],
      ["> ", "/exit\r"],
    ],
  );
  expect(file.session.turns.map(({ prompt }) => prompt)).toEqual(["launch", "a prompt"]);
  expect(screen).toContain("[general-purpose] ✓ Write new.txt");
});

test("on a terminal who leaves by Ctrl-C while a sub-agent works in the background is let go", async () => {
  const launch = {
    description: "Wait",
    prompt: "wait long",
    subagent_type: "general-purpose",
    run_in_background: true,
  };
  const blocks = [
    { call: "Glob", input: { pattern: "*" } },
    { call: "Bash", input: { command: "sleep 600" } },
  ];
  const { exitCode, screen } = await atTerminal(
    ({ messages }) => {
      const asked = JSON.stringify(messages);
      if (!asked.includes("wait long")) return { blocks: [{ call: "Task", input: launch }] };
      return asked.includes("agentId") ? { blocks: [{ text: "Launched." }] } : { blocks, paceMs: 100 };
    },
    [
      ["> ", "launch\r"],
      ["Launched.", ""],
      ["Glob", CTRL_C],
      ["again", CTRL_C],
    ],
    "--permission-mode",
    "bypassPermissions",
  );
  expect(exitCode).toBe(0);
  expect(screen).toContain("[general-purpose] ✗ Bash sleep 600");
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

test("on a terminal Ctrl-C ends a summary, too, which is told", async () => {
  const { screen, file } = await atTerminal(
    [{ blocks: [{ text: "A long answer. ".repeat(400) }] }, { fault: "hang" }],
    [
      ["> ", "first\r"],
      ["so far", ""],
      ["> ", "/compact\r"],
      ["waiting for the model", CTRL_C],
      ["nothing was compacted", ""],
      ["> ", "/exit\r"],
    ],
  );
  expect(screen).toContain("> /compact\ninterrupted; nothing was compacted\n");
  expect(file.problems).toEqual([]);
});

test("on a terminal a chat that was suspended is gone on with", async () => {
  const tellPid = { blocks: [{ call: "Bash", input: { command: "echo $PPID > pid" } }] };
  const { place, child } = await openTerminal(
    [tellPid, { blocks: [{ text: "Started." }] }, { blocks: [{ text: "Back again." }] }],
    ...["--permission-mode", "bypassPermissions", "go"],
  );
  let seen = "";
  child.stdout.on("data", (text: Buffer) => {
    seen += text.toString();
  });
  await expect.poll(() => seen, { timeout: 20_000 }).toMatch(/Started\..*> /s);
  const pid = Number(readFileSync(join(place.project, "pid"), "utf8"));
  child.stdin.write(CTRL_Z);
  const openings = () => {
    process.kill(pid, "SIGCONT");
    return seen.split("\u001b[?2004h").length - 1;
  };
  await expect.poll(openings, { timeout: 10_000 }).toBe(2);
  child.stdin.write("again\r");
  await expect.poll(() => seen, { timeout: 10_000 }).toContain("Back again.");
});

test("on a terminal what comes from a file or a pipe is one prompt, to which nobody adds", async () => {
  const { api, place, child } = await openTerminal(
    [{ blocks: [{ text: "Seen." }] }],
    ...["review", "<", `'${import.meta.filename}'`],
  );
  child.stdout.resume();
  await new Promise((done) => child.once("close", done));
  const prompt = `review\n\n${readFileSync(import.meta.filename, "utf8")}`;
  expect(onlySession(place).session.turns.map((turn) => turn.prompt)).toEqual([prompt]);
  expect(api.requests).toHaveLength(1);
});
