import { appendFileSync, chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { answer, call, type Draft, prompt, writeLines } from "../../../builders/session-builder.js";
import { temporaryFolder } from "../../../format/temporary-folder.js";
import { liveProcess, register } from "../../../library/running/live-process.js";
import { showOnScreen } from "../../../render/terminal/screen.js";
import { runCli } from "../../run-cli.js";

const A = "aaaaaaaa-0000-4000-8000-000000000001";
const SECRET = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

function makeLibrary(drafts: readonly Draft[]) {
  const root = temporaryFolder();
  const path = join(root, "projects", "-home-dev-shop", `${A}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${writeLines(drafts).join("\n")}\n`);
  return { root, path, env: { CLAUDE_CONFIG_DIR: root, TURNLOG_DATA_DIR: temporaryFolder() } };
}

test("a session that needs you is told with what it asks, and without secrets", async () => {
  const { root, env } = makeLibrary([prompt("push it"), call("t1", "Bash", { command: `push ${SECRET}` })]);
  register(root, liveProcess(), { sessionId: A, status: "waiting", waitingFor: "permission prompt" });
  const { stdout } = await runCli(["live"], env);
  expect(stdout).toContain("waits: permission");
  expect(stdout).toContain("Bash: push ");
  expect(stdout).not.toContain(SECRET);
  const [row] = JSON.parse((await runCli(["live", "--json"], env)).stdout);
  expect(row).toMatchObject({ id: A, state: "waiting", waitsFor: "permission", source: "registry", agents: [] });
  expect(JSON.stringify(row)).not.toContain(SECRET);
});

test("without running sessions it says so and succeeds", async () => {
  const env = { CLAUDE_CONFIG_DIR: temporaryFolder(), TURNLOG_DATA_DIR: temporaryFolder() };
  expect(await runCli(["live"], env)).toEqual({ exitCode: 0, stdout: "", stderr: "no session runs now\n" });
  expect((await runCli(["live", "--json"], env)).stdout).toBe("[]\n");
});

test.each([30, 60, 120])("no line is wider than a terminal of %d columns", async (columns) => {
  const { root, env } = makeLibrary([prompt("日本語 ".repeat(60)), answer("a\u001b[31mb".repeat(90))]);
  register(root, liveProcess(), { sessionId: A, status: "idle" });
  const { stdout } = await runCli(["live"], env, { isTerminal: true, columns });
  const screen = await showOnScreen(stdout, columns);
  expect(screen.lines.filter((line) => line !== "").length).toBe(stdout.trimEnd().split("\n").length);
});

describe("--watch", () => {
  test("prints a line when a session begins to wait, and tells a command of it", async () => {
    const { root, path, env } = makeLibrary([prompt("go"), answer("done")]);
    const pid = liveProcess();
    register(root, pid, { sessionId: A, status: "busy" });
    const stop = new AbortController();
    const heard = join(temporaryFolder(), "heard");
    const command = `echo "$TURNLOG_EVENT|$TURNLOG_SESSION|$TURNLOG_TEXT" >> ${heard}`;
    const args = ["live", "--watch", "--interval", "0.02", "--notify-command", command, "--notify", "bell"];
    let looks = 0;
    const watching = runCli(args, { ...process.env, ...env } as Record<string, string>, {
      interrupt: stop.signal,
      onStdout: (text) => {
        looks += 1;
        if (looks === 1) {
          appendFileSync(path, `${writeLines([prompt("x"), call("t9", "Bash", { command: "make" })]).join("\n")}\n`);
          register(root, pid, { sessionId: A, status: "waiting", waitingFor: "permission prompt" });
        } else if (text.includes("waits for permission")) stop.abort();
      },
    });
    const { exitCode, stdout, stderr } = await watching;
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/Z aaaaaaaa x: waits for permission: Bash: make\n$/);
    expect(stderr).toContain("\u0007");
    await vi.waitFor(() => expect(readFileSync(heard, "utf8")).toBe(`waiting|${A}|waits for permission: Bash: make\n`));
  });

  test("as JSON prints one line for each change", async () => {
    const { root, env } = makeLibrary([prompt("go"), answer("done")]);
    const pid = liveProcess();
    register(root, pid, { sessionId: A, status: "busy" });
    const stop = new AbortController();
    const states = (text: string) =>
      text
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line)[0]?.state);
    const { stdout } = await runCli(["live", "--watch", "--json", "--interval", "0.02"], env, {
      interrupt: stop.signal,
      onStdout: (text) => {
        if (states(text).at(-1) === "working") register(root, pid, { sessionId: A, status: "idle" });
        else if (states(text).at(-1) === "waiting") rmSync(join(root, "sessions", `${pid}.json`));
        else stop.abort();
      },
    });
    expect(states(stdout)).toEqual(["working", "waiting", "finished"]);
  });
});

test("a desktop notification is an argument of the system's tool, whatever the session is called", async () => {
  const { root, env } = makeLibrary([prompt("`touch x`; $(touch y) --icon=z"), answer("done")]);
  const pid = liveProcess();
  register(root, pid, { sessionId: A, status: "busy" });
  const heard = join(temporaryFolder(), "heard");
  const bin = temporaryFolder({ "notify-send": `#!/bin/sh\nprintf '%s\\n' "$@" > ${heard}\n` });
  chmodSync(join(bin, "notify-send"), 0o755);
  const stop = new AbortController();
  await runCli(
    ["live", "--watch", "--interval", "0.02", "--notify", "desktop"],
    { ...env, PATH: `${bin}:${process.env["PATH"]}` },
    {
      interrupt: stop.signal,
      onStdout: (text) => {
        if (text.includes("next prompt")) stop.abort();
        else register(root, pid, { sessionId: A, status: "idle" });
      },
    },
  );
  await vi.waitFor(() => expect(readFileSync(heard, "utf8")).toMatch(/your next prompt\n$/));
  expect(readFileSync(heard, "utf8")).toBe(
    "--app-name=turnlog\n--\nturnlog: `touch x`; $(touch y) --icon=z\nwaits for your next prompt\n",
  );
});

describe("--stop", () => {
  test("ends the process of the session that is named", async () => {
    const { root, env } = makeLibrary([prompt("go"), answer("done")]);
    const pid = liveProcess();
    register(root, pid, { sessionId: A, status: "busy" });
    const { exitCode, stdout } = await runCli(["live", "--stop", "aaaa", "--yes", "--json"], env);
    expect({ exitCode, ...JSON.parse(stdout) }).toEqual({ exitCode: 0, id: A, pid, how: "stopped" });
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });

  test("ends nothing without a yes", async () => {
    const { root, env } = makeLibrary([prompt("go"), answer("done")]);
    const pid = liveProcess();
    register(root, pid, { sessionId: A, status: "busy" });
    const { exitCode, stderr } = await runCli(["live", "--stop", A], env, { stdin: "n\n" });
    expect(exitCode).toBe(2);
    expect(stderr).toContain("nothing was stopped");
    expect(process.kill(pid, 0)).toBe(true);
  });

  test("refuses a process that cannot be seen from here, and a session that does not run", async () => {
    const { root, env } = makeLibrary([prompt("go"), answer("done")]);
    const pid = liveProcess();
    register(root, pid, { sessionId: A, status: "busy", procStart: "17", pidDomain: "linux:0:pid:[1]" });
    expect((await runCli(["live", "--stop", A, "--yes"], env)).stderr).toContain(
      "another machine or in another container",
    );
    expect(process.kill(pid, 0)).toBe(true);
    const other = await runCli(["live", "--stop", "cccc", "--yes"], env);
    expect(other.exitCode).toBe(1);
    expect(other.stderr).toContain("running are aaaaaaaa");
  });
});

test.each([
  [["--interval", "0"], "--interval must be a number above 0"],
  [["--recent", "soon"], "--recent must be a number above 0"],
  [["--notify", "smoke", "--watch"], "--notify must be bell or desktop"],
  [["--notify", "bell"], "notifications need --watch"],
])("live %j is refused", async (args, message) => {
  const { exitCode, stderr } = await runCli(["live", ...args], { TURNLOG_DATA_DIR: temporaryFolder() });
  expect(exitCode).toBe(2);
  expect(stderr).toContain(message);
});
