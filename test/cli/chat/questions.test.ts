import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makePlace } from "../../agent/chat-world.js";
import { onlySession } from "../../agent/spawn-chat.js";
import { talk } from "./talk.js";

test("a change is asked for; words keep the file away and reach the model, always allows the next", async () => {
  const write = (name: string) => ({ blocks: [{ call: "Write", input: { file_path: name, content: name } }] });
  const { place, stdout, api } = await talk(
    [write("one.txt"), write("two.txt"), write("three.txt"), { blocks: [{ text: "Done." }] }],
    [
      ["> ", "write"],
      ["allow?", "no, call it two.txt"],
      ["allow?", "always"],
      ["> ", "/exit"],
    ],
  );
  expect([existsSync(join(place.project, "one.txt")), existsSync(join(place.project, "two.txt"))]).toEqual([
    false,
    true,
  ]);
  expect(readFileSync(join(place.project, "three.txt"), "utf8")).toBe("three.txt");
  expect(stdout).toMatch(
    /✓ Write two\.txt \(7 bytes\) +\d+ ms\n✓ Write three\.txt \(9 bytes\) +\d+ ms\n {2}1 │ three\.txt\n/,
  );
  const [turn] = onlySession(place).session.turns;
  expect(turn?.toolCalls.map(({ status }) => status)).toEqual(["denied", "ok", "ok"]);
  expect(turn?.toolCalls[0]?.personsWords).toMatchObject([{ text: "no, call it two.txt" }]);
  expect(JSON.stringify(api.requests[1])).toContain("the user said:\\nno, call it two.txt");
});

test("a no ends the turn: the other calls are not run, nobody is asked again, and nothing more is sent", async () => {
  const write = (name: string) => ({ call: "Write", input: { file_path: name, content: name } });
  const { place, stdout, api } = await talk(
    [{ blocks: [write("one.txt"), write("two.txt")] }, { blocks: [{ text: "Other." }] }],
    [
      ["> ", "write"],
      ["allow?", "n"],
      ["> ", "something else"],
      ["> ", "/exit"],
    ],
  );
  expect(existsSync(join(place.project, "two.txt"))).toBe(false);
  expect(stdout.split("allow?")).toHaveLength(2);
  expect(stdout).toContain("stopped, because a call was refused");
  expect(api.requests).toHaveLength(2);
  const { turns } = onlySession(place).session;
  expect(turns.map(({ prompt, interrupted }) => ({ prompt, interrupted }))).toEqual([
    { prompt: "write", interrupted: true },
    { prompt: "something else", interrupted: false },
  ]);
  expect(turns[0]?.toolCalls.map(({ status }) => status)).toEqual(["denied", "interrupted"]);
});

test("a no to a call of a sub-agent ends the whole turn", async () => {
  const launch = { description: "Write", prompt: "write it", subagent_type: "general-purpose" };
  const { place, api } = await talk(
    ({ messages }) =>
      JSON.stringify(messages[0]).includes("write it")
        ? { blocks: [{ call: "Write", input: { file_path: "new.txt", content: "x" } }] }
        : { blocks: [{ call: "Task", input: launch }] },
    [
      ["> ", "go"],
      ["allow?", "n"],
      ["> ", "/exit"],
    ],
  );
  expect(api.requests).toHaveLength(2);
  const [turn] = onlySession(place).session.turns;
  expect({ interrupted: turn?.interrupted, status: turn?.toolCalls[0]?.status }).toEqual({
    interrupted: true,
    status: "denied",
  });
});

test("words about a plan reach the model, which stays in plan mode; a no ends the turn", async () => {
  const plan = { blocks: [{ call: "ExitPlanMode", input: { plan: "# Do it" } }] };
  const { place, api } = await talk(
    [plan, plan],
    [
      ["> ", "plan it"],
      ["carry out this plan?", "first the tests"],
      ["carry out this plan?", "n"],
      ["> ", "/exit"],
    ],
    makePlace(),
    ["--permission-mode", "plan"],
  );
  expect(JSON.stringify(api.requests[1])).toContain("the user said:\\nfirst the tests");
  expect(api.requests).toHaveLength(2);
  expect(onlySession(place).session.turns[0]?.toolCalls.map(({ status }) => status)).toEqual(["denied", "denied"]);
});

test("questions and plans of the model are answered in plain lines", async () => {
  const options = [
    { label: "Red", description: "warm" },
    { label: "Blue", description: "cold" },
  ];
  const { place, stdout } = await talk(
    [
      {
        blocks: [
          { call: "AskUserQuestion", input: { questions: [{ question: "Which?", header: "Colour", options }] } },
        ],
      },
      { blocks: [{ call: "ExitPlanMode", input: { plan: "1. Paint it" } }] },
      { blocks: [{ text: "Good." }] },
    ],
    [
      ["> ", "/mode plan"],
      ["> ", "paint"],
      ["a number", "2"],
      ["carry out", "y"],
      ["> ", "/mode"],
      ["> ", "/exit"],
    ],
  );
  expect(stdout).toContain("permission mode: default ("); // nobody said that changes need no question
  const calls = onlySession(place).session.turns[0]?.toolCalls ?? [];
  expect(calls[0]?.resultData).toMatchObject({ answers: { "Which?": "Blue" } });
  expect(calls[1]).toMatchObject({ status: "ok" });
});

test("whoever is asked sees all that they would allow", async () => {
  const place = makePlace({ "a.txt": "alpha\n" });
  const call = (name: string, input: object) => ({ blocks: [{ call: name, input }] });
  const { stdout } = await talk(
    [
      call("Read", { file_path: "a.txt" }),
      call("Edit", { file_path: "a.txt", old_string: "alpha", new_string: "beta" }),
      call("Write", { file_path: "b.txt", content: "line\n".repeat(80) }),
      call("Bash", { command: `echo ${"x".repeat(400)}\nrm -rf important` }),
      call("WebFetch", { url: "http://a.invalid/page", prompt: "?" }),
      { blocks: [{ text: "Done." }] },
    ],
    [
      ["> ", "go"],
      ["allow?", "not this"],
      ["allow?", "not this"],
      ["allow?", "not this"],
      ["allow?", "not this"],
      ["> ", "/exit"],
    ],
    place,
  );
  expect(stdout).toContain("? Edit a.txt\n  1 - alpha\n  1 + beta\n");
  expect(stdout).toContain("? Write b.txt\n   1 │ line\n");
  expect(stdout).toContain("  79 │ line\n  80 │ line\n");
  expect(stdout.replaceAll("\n  │ ", "")).toContain(`${"x".repeat(400)}rm -rf important\n`);
  expect(stdout).toContain("? WebFetch http://a.invalid/page\n");
});

test("a call that the model makes over and over goes on when the person says so", async () => {
  const same = { blocks: [{ call: "Glob", input: { pattern: "*" } }] };
  const { place, stdout } = await talk(
    [same, same, same, { blocks: [{ text: "Enough." }] }],
    [
      ["> ", "go"],
      ["three times in a row", ""],
      ["allow? (y)es, (n)o, or", "y"],
      ["> ", "/exit"],
    ],
  );
  expect(stdout).not.toContain("(a)lways");
  expect(onlySession(place).session.turns[0]?.toolCalls.map(({ status }) => status)).toEqual(["ok", "ok", "ok"]);
});

test("a project that brings settings is asked about before anything else, each value readable", async () => {
  const settings = { permissions: { allow: ["Bash(npm\u202e test)"] }, env: { TOKEN: `sk-ant-${"a1".repeat(20)}` } };
  const place = makePlace({ ".claude/settings.json": JSON.stringify(settings) });
  const { stdout, exitCode } = await talk(
    [],
    [
      ["work without them", "y"],
      ["> ", "/exit"],
    ],
    place,
  );
  expect(exitCode).toBe(0);
  expect(stdout).toContain("allows without asking: Bash(npm\ufffd test)");
  expect(stdout).toContain(`sets for commands: TOKEN=sk-ant-${"a1".repeat(20)}`);
  expect(stdout.indexOf("This project brings settings")).toBeLessThan(stdout.indexOf("/help"));
});

test("where no rule can allow a call always, the answer `a` is asked about again and not sent to the model", async () => {
  const place = makePlace({ ".claude/settings.json": JSON.stringify({ permissions: { deny: ["Bash(rm:*)"] } }) });
  const { stdout, api } = await talk(
    [{ blocks: [{ call: "Bash", input: { command: "git $WHAT; touch made" } }] }, { blocks: [{ text: "Done." }] }],
    [
      ["> ", "go"],
      ["allow? (y)es, (n)o, or", "a"],
      ["no rule can allow this always: (y)es, (n)o, or", "y"],
      ["> ", "/exit"],
    ],
    place,
  );
  expect(existsSync(join(place.project, "made"))).toBe(true);
  expect(JSON.stringify(api.requests)).not.toContain("the user said");
  expect(stdout).toContain("  touch made: `touch` is not known to only read\n");
});

test("a change that cannot be made fails without a question", async () => {
  const place = makePlace({ "a.txt": "alpha\n" });
  const { stdout, api } = await talk(
    [
      { blocks: [{ call: "Edit", input: { file_path: "a.txt", old_string: "alpha", new_string: "beta" } }] },
      { blocks: [{ call: "Write", input: { file_path: "a.txt", content: "beta" } }] },
      { blocks: [{ text: "I read it first." }] },
    ],
    [
      ["> ", "go"],
      ["> ", "/exit"],
    ],
    place,
    ["--no-title"],
  );
  expect(stdout).not.toContain("allow?");
  expect(JSON.stringify(api.requests[2]).split("File has not been read yet")).toHaveLength(3);
});
