import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { expect, test } from "vitest";
import { makePlace, readRecorded, startChat } from "../../agent/chat-world.js";
import { onlySession, sessionFiles } from "../../agent/spawn-chat.js";
import { talk } from "./talk.js";

test("a prompt is answered on the screen, and /exit leaves", async () => {
  const { exitCode, stdout, place } = await talk(
    [{ blocks: [{ text: "Hello there.\nSecond line with \u001b[31mred." }] }],
    [
      ["> ", "hi"],
      ["> ", "/exit"],
    ],
  );
  expect(exitCode).toBe(0);
  expect(stdout).toContain("Hello there.\nSecond line with red.");
  expect(onlySession(place).session.turns.map(({ prompt }) => prompt)).toEqual(["hi"]);
});

test("what is typed while another session is opened is taken there", async () => {
  const { api } = await talk(
    (_, index) => ({ blocks: [{ text: `Answer ${index}.` }] }),
    [
      ["> ", "one"],
      ["> ", "/clear\ntwo"],
      ["Answer 1.", "/exit"],
    ],
  );
  expect(api.requests.map(({ messages }) => messages.length)).toEqual([1, 1]);
});

test("a prompt may begin with a path", async () => {
  const { api, stdout } = await talk(
    [{ blocks: [{ text: "It is." }] }],
    [
      ["> ", "/hosts"],
      ["> ", "/etc/hosts is empty, why?"],
      ["It is.", "/exit"],
    ],
  );
  expect(JSON.stringify(api.requests[0]?.messages)).toContain("/etc/hosts is empty, why?");
  expect(stdout).toContain("unknown command /hosts");
});

test("with --no-title the model is asked for nothing but the answer", async () => {
  const { api, place } = await talk(
    [{ blocks: [{ text: "Hello." }] }],
    [
      ["> ", "hi"],
      ["> ", "/exit"],
    ],
    makePlace(),
    ["--no-title"],
  );
  expect([api.requests.length, api.titleRequests.length]).toEqual([1, 0]);
  expect(onlySession(place).session.session).toMatchObject({ title: "hi", titleSource: "first-prompt" });
});

test("slash commands stay here and are kept beside the conversation; /clear starts a new session", async () => {
  const { place, stdout } = await talk(
    [{ blocks: [{ text: "One." }] }, { blocks: [{ text: "Two." }] }],
    [
      ["> ", "first"],
      ["> ", "/cost"],
      ["> ", "/rename my work"],
      ["> ", "/nonsense"],
      ["> ", "/clear"],
      ["> ", "second"],
      ["> ", "/exit"],
    ],
  );
  expect(stdout).toContain("20 output");
  expect(stdout).toContain("unknown command /nonsense");
  expect(sessionFiles(place)).toHaveLength(2);
  const texts = sessionFiles(place).map((file) => readFileSync(file, "utf8"));
  const first = texts.find((text) => text.includes('"first"')) ?? "";
  expect(first).toContain('"subtype":"local_command"');
  expect(first).toContain('"customTitle":"my work"');
});

test("all that ends in the background is told to the model at once, while the person is asked for the next prompt", async () => {
  const start = (command: string) => ({ call: "Bash", input: { command, run_in_background: true } });
  const { stdout, place } = await talk(
    (request, index) => {
      if (index === 0) return { blocks: [start("sleep 0.3"), start("sleep 0.31")] };
      const ended = JSON.stringify(request.messages).split("<task-notification>").length - 1;
      return { blocks: [{ text: `${ended} of them ended.` }] };
    },
    [
      ["> ", "start"],
      ["2 of them ended.", "/exit"],
    ],
  );
  expect(stdout).toContain('● Background command "sleep 0.31" ended with exit code 0');
  expect(onlySession(place).session.turns.map(({ kind }) => kind)).toEqual(["prompt", "notification", "notification"]);
});

test("a question of somebody in the background is asked before the next prompt, which is asked for again", async () => {
  const launch = { call: "Task", input: { description: "dig", prompt: "dig", run_in_background: true } };
  const { stdout } = await talk(
    ({ messages }) => {
      const answers = messages.filter(({ role }) => role === "assistant").length;
      if (JSON.stringify(messages[0]).includes("dig"))
        return answers > 0
          ? { blocks: [{ text: "Dug." }], paceMs: 2_000 }
          : { blocks: [{ call: "Bash", input: { command: "mkdir hole" } }], paceMs: 50 };
      if (answers === 0) return { blocks: [launch] };
      return { blocks: [{ text: JSON.stringify(messages).includes("hello") ? "Hello to you." : "It digs." }] };
    },
    [
      ["> ", "start"],
      ["allow? ", "y"],
      ["> ", "hello"],
      ["Hello to you.", "/exit"],
    ],
  );
  expect(stdout).not.toContain('Agent "dig"');
});

test("a session that is gone on with is told, with its last prompt", async () => {
  const steps = [
    ["> ", "first thing"],
    ["> ", "/exit"],
  ] as const;
  const { place } = await talk([{ blocks: [{ text: "One." }] }], steps);
  const { stdout } = await talk([], [["> ", "/exit"]], place, ["-c"]);
  expect(stdout).toMatch(/resumed [0-9a-f-]{36} \(1 turn\); last prompt: first thing\n/);
});

test("an error of the API is told, and the talk goes on", async () => {
  const { stdout, place } = await talk(
    [
      { fault: "status", status: 400, type: "invalid_request_error", message: "no such model" },
      { blocks: [{ text: "Better." }] },
    ],
    [
      ["> ", "one"],
      ["> ", "two"],
      ["> ", "/exit"],
    ],
  );
  expect(stdout).toContain("the API returned no answer: no such model");
  expect(onlySession(place).problems).toEqual([]);
});

test("a session that cannot be gone on with is told of, and the talk goes on in the one before", async () => {
  const place = makePlace();
  const other = await startChat([{ blocks: [{ text: "Mine." }] }], { place, isCounted: false });
  await other.send("other");
  const { sessionId } = other.opened.chat;
  const { stdout } = await talk(
    (_, index) => ({ blocks: [{ text: `Answer ${index}.` }] }),
    [
      ["> ", "one"],
      ["> ", `/resume ${sessionId}`],
      ["is open in another turnlog", ""],
      ["> ", "two"],
      ["> ", "/rename mine"],
      ["> ", "/resume mine"],
      ["> ", "/exit"],
    ],
    place,
  );
  expect(stdout).toContain("this session is already open");
  const prompts = sessionFiles(place).map((file) => readRecorded(file).session.turns.map(({ prompt }) => prompt));
  expect(prompts).toContainEqual(["one", "two"]);
  expect(prompts).toContainEqual(["other"]);
});

test("a command that is typed while the model works is run after the turn, and said again then", async () => {
  const { stdout } = await talk(
    [
      { blocks: [{ text: "It runs.\n" }, { call: "Bash", input: { command: "sleep 0.5" } }] },
      { blocks: [{ text: "It ended." }] },
    ],
    [
      ["> ", "go"],
      ["It runs.", "/cost"],
      ["(queued until this is done)", ""],
      ["cost     $", "/exit"],
    ],
    makePlace(),
    ["--permission-mode", "bypassPermissions"],
  );
  expect(stdout).toMatch(/It ended\.\n.* so far .*\n\n> \/cost\ncost {5}\$/);
});

test("/resume lists the sessions of this folder, its `last` is the one before, and who leaves is told how to come back", async () => {
  const place = makePlace();
  const first = await talk(
    [{ blocks: [{ text: "One." }] }],
    [
      ["> ", "the first thing"],
      ["> ", "/exit"],
    ],
    place,
  );
  const id = basename(onlySession(place).path, ".jsonl");
  expect(first.stdout).toContain(`to resume: turnlog chat -r ${id.slice(0, 8)}\n`);
  const { stdout } = await talk(
    (_, index) => ({ blocks: [{ text: `Answer ${index}.` }] }),
    [
      ["> ", "the second thing"],
      ["> ", "/resume"],
      ["resumes one of them", ""],
      ["> ", "/resume last"],
      [`resumed ${id}`, ""],
      ["> ", "/home/me/notes is a path"],
      ["> ", "/exit"],
    ],
    place,
  );
  expect(stdout).toMatch(new RegExp(`^${id.slice(0, 8)} .* 1 turn `, "m"));
  const prompts = sessionFiles(place).map((file) => readRecorded(file).session.turns.map(({ prompt }) => prompt));
  expect(prompts).toContainEqual(["the first thing", "/home/me/notes is a path"]);
});

test("who leaves without a word leaves nothing behind", async () => {
  const { place, stdout } = await talk(
    [],
    [
      ["> ", "/clear"],
      ["> ", "/exit"],
    ],
  );
  expect(sessionFiles(place)).toEqual([]);
  expect(stdout).not.toContain("to resume");
});
