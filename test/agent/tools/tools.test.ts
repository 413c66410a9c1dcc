import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { call, callAll, callsOf } from "../call-all.js";
import { makePlace, startChat } from "../chat-world.js";

test("Read numbers the lines and takes a part of them", async () => {
  const world = await callAll(
    [call("Read", { file_path: "a.txt" }), call("Read", { file_path: "a.txt", offset: 2, limit: 1 })],
    { "a.txt": "one\r\ntwo\r\nthree" },
  );
  expect(callsOf(world)[0]?.result).toBe("1\tone\n2\ttwo\n3\tthree");
  expect(callsOf(world)[1]?.result).toContain("2\ttwo\n\n(Lines 2 to 2 of 3.)");
  expect(callsOf(world)[0]?.resultData).toMatchObject({ type: "text", file: { numLines: 3, totalLines: 3 } });
});

test("Edit keeps the line ends and the byte order mark of a file", async () => {
  const world = await callAll(
    [
      call("Read", { file_path: "crlf.txt" }),
      call("Edit", { file_path: "crlf.txt", old_string: "two\nthree", new_string: "2\n3" }),
      call("Read", { file_path: "mixed.txt" }),
      call("Edit", { file_path: "mixed.txt", old_string: "a\nb", new_string: "A\nB" }),
    ],
    { "crlf.txt": "\uFEFFone\r\ntwo\r\nthree\r\n", "mixed.txt": "a\r\nb\nc\r\n" },
  );
  const { project } = world.place;
  expect(readFileSync(join(project, "crlf.txt"), "utf8")).toBe("\uFEFFone\r\n2\r\n3\r\n");
  expect(readFileSync(join(project, "mixed.txt"), "utf8")).toBe("A\r\nB\nc\r\n");
  expect(callsOf(world)[1]?.resultData).toMatchObject({ replaceAll: false, structuredPatch: [{ oldStart: 1 }] });
});

test("Edit wants a file that was read, is fresh, and holds the text once", async () => {
  const edit = (old: string, more: object = {}) =>
    call("Edit", { file_path: "a.txt", old_string: old, new_string: "y", ...more });
  const world = await callAll(
    [
      edit("x"),
      call("Read", { file_path: "a.txt" }),
      edit("x"),
      edit("missing"),
      edit("x", { replace_all: true }),
      call("Bash", { command: "sleep 0.02; echo more >> a.txt" }),
      edit("y", { replace_all: true, new_string: "z" }),
    ],
    { "a.txt": "x x\n" },
  );
  expect(callsOf(world).map(({ status }) => status)).toEqual(["error", "ok", "error", "error", "ok", "ok", "error"]);
  expect(readFileSync(join(world.place.project, "a.txt"), "utf8")).toBe("y y\nmore\n");
});

test("MultiEdit makes all changes or none", async () => {
  const change = (from: string, to: string) => ({ old_string: from, new_string: to });
  const world = await callAll(
    [
      call("Read", { file_path: "a.txt" }),
      call("MultiEdit", { file_path: "a.txt", edits: [change("a", "1"), change("nothing", "2")] }),
      call("MultiEdit", { file_path: "a.txt", edits: [change("a", "1"), change("b", "2")] }),
    ],
    { "a.txt": "a b\n" },
  );
  expect(callsOf(world).map(({ status }) => status)).toEqual(["ok", "error", "ok"]);
  expect(readFileSync(join(world.place.project, "a.txt"), "utf8")).toBe("1 2\n");
});

test("a file is kept as it was before it is changed", async () => {
  const world = await callAll(
    [
      call("Read", { file_path: "a.txt" }),
      call("Write", { file_path: "a.txt", content: "new" }),
      call("Write", { file_path: "b.txt", content: "b" }),
    ],
    { "a.txt": "old" },
  );
  const folder = join(world.place.configRoot, "file-history", world.opened.chat.sessionId);
  const [name = ""] = readdirSync(folder);
  expect(name).toMatch(/^[0-9a-f]{16}@v1$/);
  expect(readFileSync(join(folder, name), "utf8")).toBe("old");
  const deltas = world.file.lines.filter(({ type }) => type === "file-history-delta");
  expect(deltas).toMatchObject([
    { trackingPath: "a.txt", backup: { backupFileName: name, version: 1 } },
    { trackingPath: "b.txt", backup: { backupFileName: null } },
  ]);
});

test("Bash keeps its directory, tells failures, and does not know our key", async () => {
  vi.stubEnv("ANTHROPIC_API_KEY", "a-secret");
  onTestFinished(() => void vi.unstubAllEnvs());
  const world = await callAll([
    call("Bash", { command: "mkdir -p sub && cd sub" }),
    call("Bash", { command: "basename $PWD; exit 3" }),
    call("Bash", { command: "echo key=$ANTHROPIC_API_KEY; echo err >&2" }),
  ]);
  expect(callsOf(world)[1]).toMatchObject({ status: "error", result: "Exit code 3\nsub" });
  expect(callsOf(world)[2]).toMatchObject({ result: "key=\nerr", resultData: { stdout: "key=", stderr: "err" } });
});

test("a failure that the shell reports names the shell, and no file of turnlog", async () => {
  const world = await callAll([call("Bash", { command: "no-such-program-here" })]);
  expect(callsOf(world)[0]?.result).toMatch(/^Exit code 127\nbash: (?:line \d+: )?no-such-program-here: /);
});

test("when its directory is gone, Bash goes on in the project, and says so", async () => {
  const world = await callAll([
    call("Bash", { command: "mkdir -p sub/deep && cd sub/deep" }),
    call("Bash", { command: "rm -r ../../sub" }),
    call("Bash", { command: "basename $PWD" }),
    call("Glob", { pattern: "*" }),
  ]);
  expect(callsOf(world)[1]?.result).toContain(`is gone; the next command runs in ${world.place.project}.`);
  expect(callsOf(world)[2]).toMatchObject({ status: "ok", result: "project" });
  expect(callsOf(world)[3]?.status).toBe("ok");
});

test("Bash ends what takes too long, with all its children, and does not wait for those in the background", async () => {
  const world = await callAll([
    call("Bash", { command: "sleep 60 & sleep 60; echo never", timeout: 200 }),
    call("Bash", { command: "sleep 30 & echo at once" }),
  ]);
  expect(callsOf(world)[0]).toMatchObject({ status: "error" });
  expect(callsOf(world)[0]?.result).toContain("timed out");
  expect(callsOf(world)[1]).toMatchObject({ status: "ok", result: "at once" });
});

test("an output that is too long lies beside the session", async () => {
  const world = await callAll([call("Bash", { command: "seq 1 20000" })]);
  const [made] = callsOf(world);
  expect(made?.result).toContain("<persisted-output>");
  const folder = join(world.file.path.replace(/\.jsonl$/, ""), "tool-results");
  expect(readFileSync(join(folder, readdirSync(folder)[0] ?? ""), "utf8")).toContain("\n20000");
});

test("the model reads what lies there without asking anybody", async () => {
  const world = await startChat(
    ({ messages }) => {
      const [, path] = /saved to: (\S+?)\\n/.exec(JSON.stringify(messages)) ?? [];
      if (messages.length > 3) return { blocks: [{ text: "Read." }] };
      return { blocks: [path === undefined ? call("Bash", { command: "seq 1 20000" }) : readEnd(path)] };
    },
    {},
    { mode: "default", allow: ["Bash(seq:*)"] },
  );
  await world.send("go");
  expect(callsOf(world)[1]).toMatchObject({
    name: "Read",
    status: "ok",
    result: expect.stringContaining("20000\t20000"),
  });
});

const readEnd = (path: string) => call("Read", { file_path: path, offset: 20_000 });

test("an output that cannot be kept is told as far as there is room", async () => {
  const place = makePlace();
  const id = randomUUID();
  const script = [{ blocks: [call("Bash", { command: "seq 1 20000" })] }, { blocks: [{ text: "Done." }] }];
  const world = await startChat(script, { place, isCounted: false }, { session: { kind: "new", id } });
  writeFileSync(world.opened.log.path.replace(/\.jsonl$/, ""), "in the way of the folder");
  await world.send("go");
  expect(callsOf(world)[0]).toMatchObject({ status: "ok", result: expect.stringMatching(/^1\n2\n3\n/) });
  expect(callsOf(world)[0]?.result).toContain("the rest could not be kept");
});

test("Glob and Grep find files and lines as ripgrep does", async () => {
  const world = await callAll(
    [
      call("Glob", { pattern: "**/*.ts" }),
      call("Grep", { pattern: "needle" }),
      call("Grep", { pattern: "NEEDLE", output_mode: "content", "-i": true, "-A": 1 }),
      call("Grep", { pattern: "needle", output_mode: "count", glob: "*.ts" }),
      call("Grep", { pattern: "nothing at all" }),
      call("Grep", { pattern: "(" }),
    ],
    { "src/a.ts": "needle\nafter\n", "src/b.js": "needle\n", ".gitignore": "" },
  );
  const { project } = world.place;
  const calls = callsOf(world);
  expect(calls[0]).toMatchObject({ result: `${project}/src/a.ts`, resultData: { numFiles: 1, truncated: false } });
  expect(calls[1]?.resultData).toMatchObject({ mode: "files_with_matches", numFiles: 2 });
  expect(calls[2]?.result).toContain(`${project}/src/a.ts:1:needle\n${project}/src/a.ts-2-after`);
  expect(calls[3]?.resultData).toMatchObject({ mode: "count", numMatches: 1 });
  expect(calls[4]?.result).toBe("No files found");
  expect(calls[5]?.status).toBe("error");
});

test("TodoWrite keeps the list, and wrong input is told to the model", async () => {
  const todo = { content: "Test", status: "pending", activeForm: "Testing" };
  const world = await callAll([
    call("TodoWrite", { todos: [todo] }),
    call("TodoWrite", { todos: [{ content: "x" }] }),
    call("NoSuchTool", {}),
    call("AskUserQuestion", {
      questions: [
        {
          question: "Q?",
          header: "Q",
          options: [
            { label: "A", description: "" },
            { label: "B", description: "" },
          ],
        },
      ],
    }),
  ]);
  const calls = callsOf(world);
  expect(calls[0]?.resultData).toEqual({ oldTodos: [], newTodos: [todo] });
  expect(calls[1]?.result).toContain("todos.0.status");
  expect(calls[2]?.result).toBe("<tool_use_error>Error: No such tool available: NoSuchTool</tool_use_error>");
  expect(calls[3]?.result).toContain("No user can answer");
});

test.each([
  ["default", "You are not in plan mode"],
  ["plan", "No user can approve the plan"],
] as const)("in mode %s without a person, a plan is answered: %s", async (mode, answer) => {
  const script = [{ blocks: [call("ExitPlanMode", { plan: "1. Paint" })] }, { blocks: [{ text: "1. Paint" }] }];
  const world = await startChat(script, {}, { mode });
  await world.send("go");
  expect(callsOf(world)[0]).toMatchObject({ status: "error", result: expect.stringContaining(answer) });
  expect(world.opened.desk.mode).toBe(mode);
});

test("a pull request that a command created is linked", async () => {
  const place = makePlace();
  mkdirSync(join(place.project, "bin"));
  writeFileSync(join(place.project, "bin", "gh"), "#!/bin/sh\necho https://github.com/o/r/pull/7\n", { mode: 0o755 });
  const world = await startChat(
    [
      { blocks: [call("Bash", { command: "PATH=$PWD/bin:$PATH; gh pr create --fill" })] },
      { blocks: [{ text: "Done." }] },
    ],
    { place },
  );
  await world.send("go");
  expect(world.file.lines.find(({ type }) => type === "pr-link")).toMatchObject({ prNumber: 7, prRepository: "o/r" });
});
