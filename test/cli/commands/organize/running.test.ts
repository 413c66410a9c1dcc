import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { liveProcess, register } from "../../../library/running/live-process.js";
import { type OldLibrary, oldLibrary } from "../../old-library.js";
import { PLANTED_ID } from "../../planted-library.js";
import { runCli } from "../../run-cli.js";

let library: OldLibrary;
let pid: number;
beforeEach(() => {
  library = oldLibrary();
  pid = liveProcess();
});

const run = (...args: string[]) => runCli(args, library.env);
const transcript = () => join(library.root, "projects/-home-dev-shop", `${PLANTED_ID}.jsonl`);
const waiting = () => ({
  sessionId: PLANTED_ID,
  status: "waiting",
  waitingFor: "permission prompt",
  statusUpdatedAt: Date.now() - 125_000,
});
const WHAT = () => `running in process ${pid}: waiting at a permission prompt for 2 min`;

describe("a session that runs, although nothing was written for months,", () => {
  beforeEach(() => register(library.root, pid, waiting()));

  test.each([
    { command: "delete", args: [] },
    { command: "move", args: ["/home/dev/other"] },
  ])("is refused by $command, which says what it is doing, unless forced", async ({ command, args }) => {
    const { stderr, exitCode } = await run(command, PLANTED_ID, ...args);
    expect(stderr).toContain(`session ${PLANTED_ID} is ${WHAT()}`);
    expect(stderr).toContain("--force");
    expect(exitCode).toBe(1);
    expect(existsSync(transcript())).toBe(true);
    expect((await run(command, PLANTED_ID, ...args, "--force")).exitCode).toBe(0);
    expect(existsSync(transcript())).toBe(false);
  });

  test("is spared among many, with the reason", async () => {
    const { stdout } = await run("delete", "--older-than", "1d", "--yes", "--json");
    expect(JSON.parse(stdout).spared).toEqual([{ id: PLANTED_ID, path: transcript(), reason: WHAT() }]);
  });

  test("is mentioned by an edit, which is made", async () => {
    const { stderr, exitCode } = await run("clone", PLANTED_ID);
    expect(stderr).toContain(`the source is ${WHAT()}`);
    expect(exitCode).toBe(0);
  });
});

test("a session of another container may run: delete says so and asks for --force", async () => {
  register(library.root, pid, { ...waiting(), procStart: "1", pidDomain: "linux:other:pid:[1]" });
  const { stderr } = await run("delete", PLANTED_ID);
  expect(stderr).toContain(`possibly running in process ${pid} elsewhere`);
  expect((await run("delete", PLANTED_ID, "--force")).exitCode).toBe(0);
});

test("the name of what it waits for cannot control the terminal", async () => {
  register(library.root, pid, { ...waiting(), waitingFor: "\u001b]0;x\u0007 thing" });
  expect((await run("delete", PLANTED_ID)).stderr).not.toContain("\u001b");
});
