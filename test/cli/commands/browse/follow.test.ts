import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  answer,
  command,
  commandOutput,
  compaction,
  continuing,
  type Draft,
  prompt,
  resultFor,
  toolUses,
  writeLines,
} from "../../../builders/session-builder.js";
import { temporaryFolder } from "../../../format/temporary-folder.js";
import { CORPUS } from "../../../oracle/corpus-sessions.js";
import { type CliWorld, runCli } from "../../run-cli.js";

process.env["TZ"] = "UTC"; // times are shown as local ones

const ID = "11111111-1111-4111-8111-111111111111";
const OTHER = "22222222-2222-4222-8222-222222222222";
const WAIT = { timeout: 10_000, interval: 5 };

const toText = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");
const fileIn = (folder: string, id = ID) => join(folder, `projects/-a/${id}.jsonl`);

/** A file that grows by the records of one draft after the other. */
function growing(path: string, drafts: readonly Draft[]): { next(): void; all(): void } {
  const counts = drafts.map((_, at) => writeLines(drafts.slice(0, at + 1)).length);
  const lines = writeLines(drafts);
  let at = 0;
  const next = () => {
    mkdirSync(dirname(path), { recursive: true });
    appendFileSync(path, toText(lines.slice(counts[at - 1] ?? 0, counts[at])));
    at += 1;
  };
  return { next, all: () => drafts.slice(at).forEach(next) };
}

interface Following {
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Waits for a text in the output. */
  shows(text: string): Promise<void>;
  stop(): Promise<number>;
}

function follow(args: readonly string[], world: CliWorld & { readonly env?: Record<string, string> } = {}): Following {
  const interruption = new AbortController();
  let stdout = "";
  let stderr = "";
  const done = runCli(["follow", ...args], world.env, {
    ...world,
    interrupt: interruption.signal,
    onStdout: (text) => {
      stdout = text;
    },
    onStderr: (text) => {
      stderr = text;
    },
  });
  onTestFinished(async () => {
    interruption.abort();
    await done;
  });
  return {
    stdout: () => stdout,
    stderr: () => stderr,
    shows: (text) => vi.waitFor(() => expect(stdout + stderr).toContain(text), WAIT),
    stop: async () => {
      interruption.abort();
      return (await done).exitCode;
    },
  };
}

describe("follow", () => {
  test("tells the last turn, then what is written, each thing once", async () => {
    const path = fileIn(temporaryFolder());
    const file = growing(path, [
      prompt("first"),
      answer("one"),
      prompt("second"),
      toolUses("a", "b"),
      resultFor("b", "no such file", true),
      resultFor("a"),
      answer("two"),
      prompt("third"),
    ]);
    file.next();
    file.next();
    file.next();
    const following = follow([path]);
    await following.shows("> second");
    expect(following.stdout()).not.toContain("> first");
    file.next();
    file.next();
    await following.shows("✗ Bash b");
    expect(following.stdout()).not.toContain("Bash a");
    file.all();
    await following.shows("> third");
    const [, told] = following.stdout().split("> second\n");
    expect(told).toBe(
      [
        "",
        "  ✗ Bash b (1 s)",
        "    │ no such file",
        "  ✓ Bash a (3 s)",
        "",
        "  two",
        "",
        "  5 s · 46 tokens · $0.0006",
        "",
        "── 3 ── 2026-01-01 00:00 ───────────────────────────────────────────────────────",
        "> third",
        "",
      ].join("\n"),
    );
    expect(await following.stop()).toBe(0);
  });

  test("closes a turn only when its message is whole", async () => {
    const path = fileIn(temporaryFolder());
    growing(path, [prompt("go")]).all();
    const following = follow([path]);
    await following.shows("> go");
    const lines = writeLines([prompt("go"), [answer("first part"), answer("second part")]]).slice(1);
    appendFileSync(path, toText(lines.slice(0, 1)));
    await following.shows("first part");
    appendFileSync(path, toText(lines.slice(1)));
    await following.shows("23 tokens");
    expect(following.stdout()).toMatch(/second part\n\n {2}2 s · 23 tokens · \$0\.0003\n$/);
  });

  test("--turns tells more of what is there", async () => {
    const path = fileIn(temporaryFolder());
    growing(path, [prompt("first"), answer("one"), prompt("second"), answer("two"), prompt("third")]).all();
    const { stdout, exitCode } = await runCli(["follow", path, "--turns", "2", "--until-idle", "0.05"]);
    expect(stdout.match(/^> .*/gm)).toEqual(["> second", "> third"]);
    expect(exitCode).toBe(0);
  });

  test.each([
    "2.1.325/interactive/projects/-home-dev-tproj/611dbd00-3ef7-4482-9f54-be0d7ea83ed8.jsonl",
    "2.1.45/interactive/projects/-home-dev-tproj/fb5ea67d-3e1e-4230-b4bf-d30d23f010b0.jsonl",
  ])("of %s, written at once, shows what show does", async (file) => {
    const shown = await runCli(["show", join(CORPUS, file)]);
    const { stdout } = await runCli(["follow", join(CORPUS, file), "--turns", "99", "--until-idle", "0.05"]);
    const saidIn = (text: string) => text.split("\n").filter((line) => /^(>|──| {2}[✓✗])/.test(line));
    expect(saidIn(stdout)).toEqual(saidIn(shown.stdout));
  });

  test("tells compactions and local commands where they come up", async () => {
    const path = fileIn(temporaryFolder());
    const file = growing(path, [
      prompt("go"),
      answer("went"),
      command("rename x"),
      commandOutput("renamed"),
      compaction(),
      prompt("on"),
    ]);
    file.next();
    const following = follow([path]);
    await following.shows("> go");
    file.all();
    await following.shows("> on");
    const told = following.stdout().match(/^( {2}went| {4}renamed| {2}── compacted.*|> .*)$/gm);
    expect(told).toEqual([
      "> go",
      "  went",
      "    renamed",
      expect.stringMatching(/^ {2}── compacted 1k tokens, auto ─+$/),
      "> on",
    ]);
  });

  test("says that a turn was taken back, and tells the one that took its place", async () => {
    const path = fileIn(temporaryFolder());
    const file = growing(path, [
      prompt("go"),
      answer("went"),
      prompt("wrong"),
      answer("done wrong"),
      continuing("u2", prompt("right")),
    ]);
    file.next();
    const following = follow([path]);
    file.next();
    file.next();
    file.next();
    await following.shows("done wrong");
    file.next();
    await following.shows("> right");
    expect(following.stderr()).toBe("the last turn was taken back\n");
  });

  test("masks keys until they are to be revealed, and lets nothing control the terminal", async () => {
    const secret = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
    const path = fileIn(temporaryFolder());
    growing(path, [prompt(`use ${secret}`), answer("\u001b]0;owned\u0007\u001b[2J")]).all();
    const masked = await runCli(["follow", path, "--until-idle", "0.05"]);
    expect(masked.stdout).not.toContain(secret);
    expect(masked.stdout).not.toContain("\u001b");
    const json = await runCli(["follow", path, "--until-idle", "0.05", "--json"]);
    expect(json.stdout).not.toContain(secret);
    const revealed = await runCli(["follow", path, "--until-idle", "0.05", "--reveal"]);
    expect(revealed.stdout).toContain(secret);
  });

  test("tells on a terminal that a call is still running, and nowhere else", async () => {
    const path = fileIn(temporaryFolder());
    growing(path, [prompt("go"), toolUses("sleep")]).all();
    const onTerminal = follow([path], { isTerminal: true, columns: 100 });
    const inPipe = follow([path]);
    await onTerminal.shows("… running Bash sleep");
    expect(inPipe.stdout()).not.toContain("Bash sleep");
  });

  test("tells the finished calls of sub-agents beside their session", async () => {
    const path = fileIn(temporaryFolder());
    growing(path, [prompt("go")]).all();
    const agent = join(path.slice(0, -".jsonl".length), "subagents", "agent-a1b2c3d.jsonl");
    const following = follow([path]);
    await following.shows("> go");
    mkdirSync(dirname(agent), { recursive: true });
    const lines = writeLines([prompt("Look around"), toolUses("ls"), resultFor("ls")]);
    writeFileSync(agent, toText(lines.map((line) => line.replace("{", '{"isSidechain":true,"agentId":"a1b2c3d",'))));
    await following.shows("  [Look around] ✓ Bash ls");
    expect(following.stdout().match(/Bash ls/g)).toHaveLength(1);
  });
});

describe("follow --json", () => {
  test("is one event a line, those of show --events", async () => {
    const path = fileIn(temporaryFolder());
    const file = growing(path, [prompt("go"), toolUses("a"), resultFor("a"), answer("went")]);
    file.next();
    const following = follow([path, "--json"]);
    await following.shows('"input":"go"');
    file.all();
    await following.shows("went");
    const events = following
      .stdout()
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const shown = JSON.parse((await runCli(["show", path, "--events", "--json"])).stdout);
    expect(events).toEqual(shown.map((event: object) => ({ sessionId: ID, agentId: null, ...event })));
  });
});

describe("a file that changes in other ways", () => {
  test("is told from its start when it was cut", async () => {
    const path = fileIn(temporaryFolder());
    growing(path, [prompt("old"), answer("said")]).all();
    const following = follow([path]);
    await following.shows("said");
    truncateSync(path, 0);
    await following.shows("the file was truncated; starting again");
    growing(path, [prompt("new")]).all();
    await following.shows("> new");
  });

  test("is told from its start when another takes its place", async () => {
    const path = fileIn(temporaryFolder());
    growing(path, [prompt("old"), answer("said")]).all();
    const following = follow([path]);
    await following.shows("said");
    growing(`${path}.new`, [prompt("another"), answer("said too")]).all();
    renameSync(`${path}.new`, path);
    await following.shows("said too");
    expect(following.stderr()).toBe("the file was replaced; starting again\n");
  });

  test("is waited for when it is gone, which is told once", async () => {
    const path = fileIn(temporaryFolder());
    growing(path, [prompt("go")]).all();
    const bytes = readFileSync(path);
    const following = follow([path]);
    await following.shows("> go");
    rmSync(path);
    await following.shows("the file is gone; waiting for it to come back");
    writeFileSync(
      path,
      Buffer.concat([bytes, Buffer.from(toText(writeLines([prompt("go"), answer("back")]).slice(1)))]),
    );
    await following.shows("back");
    expect(following.stderr().match(/gone/g)).toHaveLength(1);
  });
});

describe("follow without a name", () => {
  test("tells whichever session is written to, and names it", async () => {
    const root = temporaryFolder();
    const first = growing(fileIn(root), [prompt("in the first"), answer("one"), prompt("again")]);
    const second = growing(fileIn(root, OTHER), [prompt("in the second"), answer("two")]);
    first.next();
    second.next();
    const following = follow([], { env: { CLAUDE_CONFIG_DIR: root } });
    await following.shows(`waiting for activity in ${root}`);
    first.next();
    await following.shows("one");
    second.next();
    await following.shows("two");
    first.next();
    await following.shows("> again");
    const told = following.stdout().match(/^(══ session .*|> .*| {2}\w+)$/gm);
    expect(told).toEqual([
      `══ session ${ID}`,
      "> in the first",
      "  one",
      `══ session ${OTHER}`,
      "> in the second",
      "  two",
      `══ session ${ID}`,
      "> again",
    ]);
  });
});

test.each([
  { args: ["--turns", "some"], message: '--turns must be a number, not "some"' },
  { args: ["--until-idle", "-1"], message: '--until-idle must be a number, not "-1"' },
  { args: ["--tools", "all"], message: '--tools must be full, brief or none, not "all"' },
])("$args is wrong usage", async ({ args, message }) => {
  const { exitCode, stderr } = await runCli(["follow", "last", ...args]);
  expect(stderr).toContain(`turnlog: ${message}\n`);
  expect(exitCode).toBe(2);
});

test("a session that is not there is one line and a hint", async () => {
  const { exitCode, stderr } = await runCli(["follow", "./gone.jsonl"]);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: "turnlog: no such file: ./gone.jsonl\n  `turnlog list` lists all sessions\n",
  });
});
