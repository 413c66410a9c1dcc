import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import type { Pager, PagerCommand } from "../../src/cli/io.js";
import { choosePager } from "../../src/cli/terminal/pager.js";
import { startPager } from "../../src/cli/terminal/start-pager.js";
import { temporaryFolder } from "../format/temporary-folder.js";
import { CORPUS } from "../oracle/corpus-sessions.js";
import { runCli } from "./run-cli.js";

const SESSION = join(CORPUS, "2.1.45/interactive/projects/-home-dev-tproj/fb5ea67d-3e1e-4230-b4bf-d30d23f010b0.jsonl");
const NO_PAGER_SET = { PAGER: "less", TURNLOG_PAGER: "less", TERM: "xterm", NO_COLOR: "", FORCE_COLOR: "" };

/** A reader that takes so many pieces, then quits. */
function reader(patience = Number.POSITIVE_INFINITY) {
  const started: PagerCommand[] = [];
  const pieces: string[] = [];
  let isClosed = false;
  const pager: Pager = {
    write: async (piece) => {
      pieces.push(piece);
      return pieces.length < patience;
    },
    close: async () => {
      isClosed = true;
    },
  };
  const startPager = (command: PagerCommand) => {
    started.push(command);
    return pager;
  };
  return { startPager, started, pieces, isClosed: () => isClosed };
}

describe("on a terminal", () => {
  const show = (args: readonly string[], world: object) =>
    runCli(["show", SESSION, ...args], NO_PAGER_SET, { isTerminal: true, columns: 80, ...world });

  test("a session is shown by the pager, and notes come after it", async () => {
    const { startPager, started, pieces, isClosed } = reader();
    const { stdout, stderr, exitCode } = await show([], { startPager });
    expect(started).toHaveLength(1);
    expect(stdout).toBe("");
    expect(pieces.join("")).toContain("[[slow]] slow one");
    expect(stderr).toContain("1 rewound branch not shown");
    expect(isClosed()).toBe(true);
    expect(exitCode).toBe(0);
  });

  test("a reader who quits early is told nothing more, and no further turn is read", async () => {
    const { startPager, pieces } = reader(3);
    const { stdout, stderr, exitCode } = await show([], { startPager });
    expect(pieces).toHaveLength(3);
    expect({ stdout, stderr, exitCode }).toEqual({ stdout: "", stderr: "", exitCode: 0 });
  });

  test("the heading comes first, before any turn", async () => {
    const { startPager, pieces } = reader(1);
    await show([], { startPager });
    expect(pieces[0]).toContain("my-custom-name");
    expect(pieces[0]).not.toContain("▌");
  });

  test.each([["--no-pager"], ["--json"]])("%s prints", async (option) => {
    const { startPager, started } = reader();
    const { stdout } = await show([option], { startPager });
    expect(started).toEqual([]);
    expect(stdout).toContain("slow one");
  });

  test("a list of sessions is shown by the pager too, unless it is not wanted", async () => {
    const list = (args: readonly string[], world: object) =>
      runCli(["list", "--demo", "--no-index", ...args], NO_PAGER_SET, { isTerminal: true, columns: 80, ...world });
    const { startPager, started, pieces } = reader();
    expect((await list([], { startPager })).stdout).toBe("");
    expect(pieces.join("")).toContain("lantern-shop");
    expect((await list(["--no-pager"], { startPager })).stdout).toBe(pieces.join(""));
    expect((await list(["--project", "nowhere"], { startPager })).stdout).toBe("");
    expect(started).toHaveLength(1);
  });

  test("a pager that cannot be started is done without", async () => {
    expect((await show([], {})).stdout).toContain("slow one");
  });
});

test("in a pipe there is no pager", async () => {
  const { startPager, started } = reader();
  await runCli(["show", SESSION], NO_PAGER_SET, { startPager });
  expect(started).toEqual([]);
});

describe("the pager is", () => {
  const choose = (env: Record<string, string>) => choosePager({ isTerminal: true, env });

  test("less, with colours, unless everything fits the screen", () => {
    expect(choose({})).toEqual({ program: "less", args: [], env: { LESS: "-R -F -X", LV: "-c" } });
  });

  test("what PAGER names, or rather TURNLOG_PAGER", () => {
    expect(choose({ PAGER: "most -s" })).toMatchObject({ program: "most", args: ["-s"] });
    expect(choose({ PAGER: "most", TURNLOG_PAGER: `sh -c 'bat -p'` })).toMatchObject({
      program: "sh",
      args: ["-c", "bat -p"],
    });
  });

  test("given the reader's own options of less after ours", () => {
    expect(choose({ LESS: "-i -S" })?.env).toMatchObject({ LESS: "-R -F -X -i -S" });
  });

  test.each([{ PAGER: "" }, { PAGER: "cat" }, { TURNLOG_PAGER: "", PAGER: "less" }, { TERM: "dumb" }])(
    "none with %o",
    (env) => {
      expect(choose({ ...env })).toBeNull();
    },
  );
});

describe("a real pager", () => {
  const program = process.execPath;

  test("gets everything that is written", async () => {
    const file = join(temporaryFolder(), "read.txt");
    const script = `process.stdin.pipe(require("fs").createWriteStream(process.env.READ_INTO))`;
    const pager = await startPager({ program, args: ["-e", script], env: { READ_INTO: file } });
    const pieces = Array.from({ length: 50 }, (_, index) => `${index}\n`.repeat(2000));
    const taken = await Promise.all(pieces.map((piece) => pager?.write(piece)));
    await pager?.close();
    expect(new Set(taken)).toEqual(new Set([true]));
    expect(readFileSync(file, "utf8")).toBe(pieces.join(""));
  });

  test("that quits early is noticed", async () => {
    const pager = await startPager({ program, args: ["-e", "process.exit()"], env: {} });
    const isQuit = async () => (await pager?.write("x".repeat(100_000))) === false;
    await expect.poll(isQuit, { timeout: 20_000 }).toBe(true);
    await pager?.close();
  });

  test("that is not there is null", async () => {
    expect(await startPager({ program: "no-such-pager-anywhere", args: [], env: {} })).toBeNull();
  });
});

describe("colours", () => {
  const BIN = resolve(import.meta.dirname, "..", "..", "dist", "bin.js");
  const inPipe = async (env: Record<string, string>) => {
    const child = spawn(process.execPath, [BIN, "show", SESSION], {
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [stdout] = await Promise.all([text(child.stdout), once(child, "close")]);
    return stdout;
  };

  test("are not in a pipe, unless they are forced", async () => {
    expect(await inPipe({ FORCE_COLOR: "" })).not.toContain("\u001b");
    const forced = await inPipe({ FORCE_COLOR: "1", COLUMNS: "50" });
    const widths = forced.split("\n").map((line) => line.replace(/\u001b\[\d+m/g, "").length);
    expect(forced).toContain("\u001b[1m");
    expect(Math.max(...widths)).toBeLessThanOrEqual(50);
  });

  test("are not on a terminal with NO_COLOR", async () => {
    const env = { ...NO_PAGER_SET, NO_COLOR: "1" };
    const { stdout } = await runCli(["show", SESSION], env, { isTerminal: true, columns: 60 });
    expect(stdout).toContain("▌ [[slow]] slow one");
    expect(stdout).not.toContain("\u001b");
  });
});
