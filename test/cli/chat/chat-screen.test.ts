import { expect, test } from "vitest";
import type { ChatEvent } from "../../../src/agent/conversation/chat-event.js";
import type { Call } from "../../../src/agent/conversation/loop.js";
import type { ToolOutcome } from "../../../src/agent/tools/tool.js";
import { ChatScreen } from "../../../src/cli/chat/chat-screen.js";
import { createRedactor } from "../../../src/redact/create-redactor.js";
import { createStyle } from "../../../src/render/terminal/style.js";

function openScreen() {
  let shown = "";
  const hints: string[] = [];
  const terminal = {
    columns: 60,
    isBusy: false,
    tell: (text: string) => {
      shown += text;
    },
    hint: (text: string) => void hints.push(text),
  };
  const screen = new ChatScreen(terminal, {
    style: createStyle(false),
    redactor: createRedactor({ level: "mask" }),
    folder: "/home/dev/app",
  });
  return {
    screen,
    terminal,
    hints,
    /** Without what differs from run to run. */
    get text() {
      return shown.replace(/ +\d+ ms$/gm, "").replace(/ {3,}/g, "  ");
    },
  };
}

let calls = 0;

function run(screen: ChatScreen, name: string, input: object, outcome: ToolOutcome, agentType?: string): void {
  const call = { id: `call-${++calls}`, name, input };
  const agent = agentType === undefined ? null : { agentId: "a1", type: agentType, callId: "t" };
  screen.hear({ kind: "call-started", call, agent });
  screen.hear({ ...ended(call, outcome), agent });
}

function ended(call: Call, outcome: ToolOutcome, durationMs: number | undefined = 5) {
  const line = { type: "user", uuid: "u", timestamp: "t" } as const;
  return { kind: "call-ended", call, outcome, durationMs, line, agent: null } as const;
}

const words = (text: string): ChatEvent => ({ kind: "text-delta", index: 0, text, agent: null });
const printed = (stdout: string) => ({ content: stdout, data: { stdout, stderr: "" } });

test("a call that ended has a line with its name, and below it what a person wants to see of it", () => {
  const shown = openScreen();
  const todos = [
    { content: "Read it", status: "completed", activeForm: "Reading" },
    { content: "Mend it", status: "in_progress", activeForm: "Mending" },
  ];
  const edit = { file_path: "/home/dev/app/a.js", old_string: "one", new_string: "two" };
  run(shown.screen, "Read", { file_path: "/home/dev/app/src/a.js" }, { content: "1\tone", data: {} });
  run(shown.screen, "Bash", { command: "seq 7", description: "Count" }, printed("1\n2\n3\n4\n5\n6\n7"));
  run(shown.screen, "Bash", { command: "true" }, { content: "(The command printed nothing.)", data: printed("").data });
  run(shown.screen, "Edit", edit, { content: "done", data: {} });
  run(shown.screen, "TodoWrite", { todos }, { content: "done", data: { newTodos: todos } });
  run(shown.screen, "Glob", { pattern: "*.js" }, { content: "a.js", data: {} }, "Explore");
  expect(shown.text).toBe(`✓ Read src/a.js
✓ Bash seq 7 # Count
  │ 1
  │ 2
  │ 3
  │ 4
  … 3 more lines
✓ Bash true
✓ Edit a.js (edit)  +1  −1
  - one
  + two
✓ TodoWrite 1 of 2 done
  ☑ Read it
  ◐ Mend it
[Explore] ✓ Glob *.js
`);
});

test("a call that failed says why; one that a rule forbids has a line, too; whoever said no is not told so", () => {
  const shown = openScreen();
  const no = "The user doesn't want to proceed with this tool use.";
  const failed = (content: string, data: string): ToolOutcome => ({ content, data, isError: true });
  const misuse = failed("<tool_use_error>no such file</tool_use_error>", "Error: no such file");
  const denied = "Permission to use Write has been denied: nothing is changed.";
  const call = { id: "denied", name: "Write", input: { file_path: "/home/dev/app/b.txt", content: "b" } };
  run(shown.screen, "Bash", { command: "npm test" }, failed("Exit code 1\nnot ok", "Error: Exit code 1\nnot ok"));
  run(shown.screen, "Read", { file_path: "/etc/nothing" }, misuse);
  shown.screen.hear({ ...ended(call, failed(denied, `Error: ${denied}`)), durationMs: undefined });
  shown.screen.hear({ ...ended(call, failed(no, "User rejected tool use")), durationMs: undefined });
  expect(shown.text).toBe(`✗ Bash npm test
  exit code 1
  │ not ok
✗ Read /etc/nothing
  │ no such file
✗ Write b.txt (1 bytes)  denied
  │ Permission to use Write has been denied: nothing is
  │ changed.
✗ Write b.txt (1 bytes)  denied
`);
});

test("a change that was shown when it was asked for is not shown again; what is printed has its secrets hidden", () => {
  const shown = openScreen();
  const key = `ghp_${"a1B2".repeat(9)}`;
  const write = { file_path: "/home/dev/app/.env", content: `TOKEN=${key}\n` };
  shown.screen.request({ tool: "Write", input: write, reason: "it is asked", suggestions: ["Edit(src/**)"] });
  run(shown.screen, "Write", write, { content: "created", data: { type: "create" } });
  run(shown.screen, "Bash", { command: "cat .env" }, printed(`TOKEN=${key}`));
  expect(shown.text).toBe(`? Write .env
  1 │ TOKEN=${key}
  it is asked
  always: Edit(src/**)
✓ Write .env (47 bytes)
✓ Bash cat .env
  │ TOKEN=[REDACTED:github-token:1]
`);
});

test("a question shows the command exactly as it will run, with nothing masked, dropped or acted on", () => {
  const shown = openScreen();
  const command = 'curl -u "me:password=$(touch y)" x\r\n\u001b[8mrm\u001b[0m -r \u202ex';
  const suggestions = ["Bash(curl --password=hunter2hunter2:*)"];
  shown.screen.request({ tool: "Bash", input: { command }, reason: "no rule allows \u001b[2Jit", suggestions });
  expect(shown.text).toBe(`? Bash
  │ curl -u "me:password=$(touch y)" x␍
  │ ␛[8mrm␛[0m -r �x
  no rule allows ␛[2Jit
  always: Bash(curl --password=hunter2hunter2:*)
`);
});

test("a question about several commands names each that no rule allows", () => {
  const shown = openScreen();
  const parts = [
    { text: "ls", decision: "allow", reason: "it only reads" },
    { text: "rm x", decision: "ask", reason: "`rm` is not known to only read" },
    { text: "cat /etc/passwd", decision: "ask", reason: "/etc/passwd is outside of the project" },
  ] as const;
  const input = { command: "ls && rm x; cat /etc/passwd" };
  shown.screen.request({ tool: "Bash", input, reason: "no rule allows `rm x`", parts, suggestions: [] });
  expect(shown.text).toBe(`? Bash
  │ ls && rm x; cat /etc/passwd
  rm x: \`rm\` is not known to only read
  cat /etc/passwd: /etc/passwd is outside of the project
`);
});

test("a question about a change shows all of it, and in how many places it changes the file", () => {
  const shown = openScreen();
  const lines = Array.from({ length: 200 }, (_, at) => `line ${at}`);
  const write = { file_path: "/home/dev/app/long.txt", content: lines.join("\n") };
  const edit = { file_path: "/home/dev/app/a.txt", old_string: "a", new_string: "b", replace_all: true };
  shown.screen.request({ tool: "Write", input: write, reason: "it is asked", suggestions: [] });
  shown.screen.request({
    tool: "Edit",
    input: edit,
    reason: "it is asked",
    preview: {
      detail: "changes 2 places",
      data: {
        structuredPatch: [
          { oldStart: 3, oldLines: 1, newStart: 3, newLines: 1, lines: ["-a", "+b"] },
          { oldStart: 90, oldLines: 1, newStart: 90, newLines: 1, lines: ["-xa", "+xb\u202e"] },
        ],
      },
    },
    suggestions: [],
  });
  expect(shown.text.match(/line \d+/g)).toEqual(lines);
  expect(shown.text.slice(shown.text.indexOf("? Edit"))).toBe(`? Edit a.txt
  3 - a
  3 + b
  ⋯
  90 - xa
  90 + xb\ufffd
  changes 2 places
  it is asked
`);
});

test("a question cuts no line, however long, and shows what looks like nothing", () => {
  const shown = openScreen();
  const ask = (tool: string, input: object) =>
    shown.screen.request({ tool, input, reason: "it is asked", suggestions: [] });
  ask("Bash", { command: `: ${"x".repeat(20_000)}; echo end` });
  expect(shown.text.replace(/\n {2}│ /g, "")).toContain("x; echo end");
  ask("Write", { file_path: "/home/dev/app/a.txt", content: `${"x".repeat(20_000)} the end` });
  expect(shown.text).toContain("the end");
  ask("Edit", { file_path: "/home/dev/app/a.txt", old_string: "x", new_string: `${"x".repeat(20_000)} last word` });
  expect(shown.text).toContain("last word");
  ask("Bash", { command: "echo a\u00a0#; ./build\u200d.sh" });
  expect(shown.text).toContain("│ echo a␣#; ./build�.sh\n");
});

test("a question about a change says that a line break at its end goes or comes", () => {
  const shown = openScreen();
  const ask = (old_string: string, new_string: string) => {
    const input = { file_path: "/home/dev/app/a.sh", old_string, new_string };
    shown.screen.request({ tool: "Edit", input, reason: "it is asked", suggestions: [] });
  };
  ask("# check\n", "# check");
  ask("# check", "# check\n");
  ask("a\n", "b\n");
  expect(shown.text).toBe(`? Edit a.sh
  # check
  \\  line break at the end removed
  it is asked
? Edit a.sh
  # check
  \\  line break at the end added
  it is asked
? Edit a.sh
  - a
  + b
  it is asked
`);
});

test("what happens beside an answer waits for the end of its line", () => {
  const shown = openScreen();
  shown.screen.hear(words("The first "));
  run(shown.screen, "Glob", { pattern: "*" }, { content: "a", data: {} }, "Explore");
  shown.screen.mention("(waits)");
  shown.screen.hear(words("line.\nThe "));
  shown.screen.hear(words("second."));
  shown.screen.endLine();
  expect(shown.text).toBe("The first line.\n[Explore] ✓ Glob *\n(waits)\nThe second.\n");
});

test("a line that is broken by typing goes on in rows of its own, and a window that changes leaves what stands", () => {
  const shown = openScreen();
  shown.screen.hear(words("  One two three "));
  shown.screen.breakLine();
  shown.screen.hear(words("four five "));
  Object.assign(shown.terminal, { columns: 8 });
  shown.screen.hear(words("six seven\neight nine\n"));
  expect(shown.text).toBe("  One two three\nfour five six seven\neight\nnine\n");
});

test("while nothing else is told, a row says what is waited for and how long, and never breaks", () => {
  const shown = openScreen();
  shown.screen.startTurn();
  shown.screen.tick();
  shown.screen.hear({ kind: "thinking-start", index: 0, agent: null });
  shown.screen.tick();
  const call = { id: "long", name: "Bash", input: { command: `echo ${"x".repeat(100)}\nsleep 5` } };
  shown.screen.hear({ kind: "call-started", call, agent: null });
  shown.screen.hear(ended(call, printed("x")));
  shown.screen.hear(words("Half a line "));
  shown.screen.tick();
  expect(shown.hints.map((hint) => hint.replace(/x+/, "x"))).toEqual([
    "… waiting for the model",
    "… thinking",
    "… Bash echo x…",
  ]);
  expect(Math.max(...shown.hints.map(({ length }) => length))).toBeLessThan(60);
});

test("the last word of a block is shown when the block ends, not when it is recorded", () => {
  const shown = openScreen();
  shown.screen.hear(words("One last word"));
  expect(shown.text).toBe("One last");
  shown.screen.hear({ kind: "text-end", index: 0, block: undefined, agent: null });
  expect(shown.text).toBe("One last word\n");
});

test("the input of a call that is still streaming is visible as such, and grows", () => {
  const shown = openScreen();
  const at = { index: 0, callId: "c", agent: null } as const;
  shown.screen.hear({ kind: "input-start", name: "Write", ...at });
  shown.screen.hear({ kind: "input-delta", json: "x".repeat(2_048), ...at });
  shown.screen.tick();
  shown.screen.hear({ kind: "input-end", block: undefined, ...at });
  shown.screen.tick();
  expect(shown.hints).toEqual([
    "… writing the input of Write",
    "… writing the input of Write (2 KB so far)",
    "… waiting for the model",
  ]);
});

test("words of a sub-agent do not mix with the answer", () => {
  const shown = openScreen();
  const agent = { agentId: "a1", type: "Explore", callId: "t" };
  shown.screen.hear(words("Mine. "));
  shown.screen.hear({ kind: "text-delta", index: 0, text: "Not mine. ", agent });
  shown.screen.hear({ kind: "text-end", index: 0, block: undefined, agent });
  shown.screen.hear(words("Mine again. "));
  expect(shown.text).toBe("Mine. Mine again.");
});
