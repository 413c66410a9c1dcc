import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { resumeCommand } from "../../../../src/app/resume-command.js";
import { lockSession } from "../../../../src/store/lock.js";
import { answer, call, chain, prompt, toLines } from "../../../builders/session-builder.js";
import { temporaryFolder } from "../../../format/temporary-folder.js";
import { oldLibrary } from "../../old-library.js";
import { FILE_PLACES, PLANTED_ID, tokenOf } from "../../planted-library.js";
import { runCli } from "../../run-cli.js";
import { treeOf } from "../../tree-of.js";

const PROJECT = "projects/-home-dev-shop";

describe("turnlog clone", () => {
  test("shows the plan, writes the session and says how to go on", async () => {
    const { root, env } = oldLibrary();
    const { stdout, stderr, exitCode } = await runCli(["clone", PLANTED_ID, "--title", "Second try"], env);
    const [id = "", resume] = stdout.split("\n");
    expect({ exitCode, resume }).toEqual({
      exitCode: 0,
      resume: `cd /home/dev/shop && CLAUDE_CONFIG_DIR=${root} claude --resume ${id}`,
    });
    expect(stderr).toContain("removed: 0 of 6 records");
    expect(stderr).toContain("(estimates)");
    expect(readFileSync(join(root, PROJECT, `${id}.jsonl`), "utf8")).toContain('"customTitle":"Second try"');
  });

  test("gives the contract of all edits as JSON, and with --dry-run changes nothing", async () => {
    const { root, env } = oldLibrary();
    const before = treeOf(root);
    const { stdout } = await runCli(["clone", PLANTED_ID, "--json", "--dry-run"], env);
    const json: Record<string, unknown> = JSON.parse(stdout);
    expect(json).toMatchObject({ source: PLANTED_ID, removed: 0, kept: 6, dryRun: true });
    expect(Object.keys(json).slice(0, 7)).toEqual([
      "id",
      "path",
      "source",
      "removed",
      "kept",
      "tokensBefore",
      "tokensAfter",
    ]);
    expect(treeOf(root)).toEqual(before);
  });

  test("writes a named file, and never over another", async () => {
    const { env } = oldLibrary();
    const file = join(temporaryFolder(), "copy.jsonl");
    expect((await runCli(["clone", PLANTED_ID, "-o", file], env)).stderr).toContain("with a UUID as the file name");
    expect(existsSync(file)).toBe(true);
    const again = await runCli(["clone", PLANTED_ID, "-o", file], env);
    expect(again).toMatchObject({ exitCode: 1 });
    expect(again.stderr).toContain("already exists");
  });

  test("tells no command that resumes a file outside of the client's folders, whatever its name", async () => {
    const { env } = oldLibrary();
    const file = join(temporaryFolder(), "0b9c8d7e-6f5a-4b3c-8d2e-1f0a9b8c7d6e.jsonl");
    const { stdout, stderr } = await runCli(["clone", PLANTED_ID, "-o", file], env);
    expect(stdout).toBe("0b9c8d7e-6f5a-4b3c-8d2e-1f0a9b8c7d6e\n");
    expect(stderr).toContain("Claude Code can resume it only from its project's folder");
  });

  test("says that its project's path is not known, where no record names it", async () => {
    const { root, env } = oldLibrary();
    const id = "7c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e4f";
    writeFileSync(join(root, PROJECT, `${id}.jsonl`), toLines(chain(prompt("one"), answer("1"))));
    const { stdout, stderr } = await runCli(["clone", id], env);
    expect(stdout).toMatch(/^(\S+)\nCLAUDE_CONFIG_DIR=\S+ claude --resume \1\n$/);
    expect(stderr).toContain("no record names the project's folder");
  });

  test("of a session that turnlog itself writes to ends with its last complete turn, however old it is", async () => {
    const { root, env } = oldLibrary();
    const id = "7c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e4f";
    const rows = chain(prompt("one"), answer("1"), prompt("two"), call("t", "Bash", {}));
    writeFileSync(join(root, PROJECT, `${id}.jsonl`), toLines(rows));
    const lock = lockSession(env.TURNLOG_DATA_DIR, id);
    const locked = await runCli(["clone", id, "--dry-run"], env);
    const moved = await runCli(["move", id, "/srv/shop", "--force"], env);
    lock?.release();
    const free = await runCli(["clone", id, "--dry-run"], env);
    expect(locked.stderr).toContain("turn 2 is incomplete and omitted");
    expect(moved.stderr).toContain("turnlog is writing to session");
    expect(free.stderr).not.toContain("not complete");
  });

  test("asks for a file where nothing may be written", async () => {
    const { env } = oldLibrary();
    expect(await runCli(["clone", "last", "--demo"], env)).toMatchObject({ exitCode: 2 });
  });
});

describe("turnlog fork", () => {
  test.each([
    ["--at", "1"],
    ["--from", "1"],
    ["--at", "00000000-0000-4000-8000-000000000002"],
  ])("takes %s %s", async (...point) => {
    const { env } = oldLibrary();
    expect(await runCli(["fork", PLANTED_ID, ...point], env)).toMatchObject({ exitCode: 0 });
  });

  test.each([[], ["--from", "x"], ["--at", "1", "--from", "1"]])("refuses %j as wrong usage", async (...point) => {
    const { env } = oldLibrary();
    expect(await runCli(["fork", PLANTED_ID, ...point], env)).toMatchObject({ exitCode: 2 });
  });

  test("names the turns there are", async () => {
    const { env } = oldLibrary();
    expect((await runCli(["fork", PLANTED_ID, "--at", "9"], env)).stderr).toContain("the session has only one turn");
  });
});

test("turnlog redact takes secrets out of the session and its side files", async () => {
  const { root, env } = oldLibrary();
  const [id = ""] = (await runCli(["redact", PLANTED_ID], env)).stdout.split("\n");
  const written = Object.entries(treeOf(root)).filter(([path]) => path.includes(id));
  const places = [...FILE_PLACES, "sub-agent", "spilled output", "file backup"] as const;
  expect(written.length).toBeGreaterThan(3);
  expect(places.filter((place) => JSON.stringify(written).includes(tokenOf(place)))).toEqual([]);
  expect(written.some(([path]) => path.startsWith("file-history"))).toBe(false);
});

describe("turnlog lineage", () => {
  test("shows which session was made of which", async () => {
    const { env } = oldLibrary();
    const [first = ""] = (await runCli(["clone", PLANTED_ID], env)).stdout.split("\n");
    const [second = ""] = (await runCli(["fork", first, "--at", "1"], env)).stdout.split("\n");
    const { stdout } = await runCli(["lineage", first], env);
    const withoutTimes = stdout.replaceAll(/ {2}20\d\d-\d\d-\d\d \d\d:\d\d/g, "");
    expect(withoutTimes.trimEnd().split("\n")).toEqual([
      expect.stringMatching(`^${PLANTED_ID}  .+`),
      expect.stringMatching(`^  ${first} \\*  clone  .+`),
      expect.stringMatching(`^    ${second}  fork  .+`),
    ]);
    const steps: readonly object[] = JSON.parse((await runCli(["lineage", "--json"], env)).stdout);
    expect(steps).toMatchObject([
      { id: first, source: PLANTED_ID, command: "clone" },
      { id: second, source: first },
    ]);
  });

  test("finds both sessions by their ids after they were moved", async () => {
    const { root, env } = oldLibrary();
    const clone = JSON.parse((await runCli(["clone", PLANTED_ID, "--json"], env)).stdout);
    await runCli(["move", clone.id, "/srv/shop", "--force"], env);
    await runCli(["move", PLANTED_ID, "/srv/shop", "--force"], env);
    const [step] = JSON.parse((await runCli(["lineage", clone.id, "--json"], env)).stdout);
    expect(step).toMatchObject({ source: PLANTED_ID, path: join(root, "projects/-srv-shop", `${clone.id}.jsonl`) });
    expect((await runCli(["lineage"], env)).stdout).not.toContain("(deleted)");
  });

  test("says so when there is nothing to show", async () => {
    const { env } = oldLibrary();
    expect((await runCli(["lineage"], env)).stderr).toContain("no session was created");
  });
});

test("the command to resume a session names no configuration folder but another one than Claude Code's own", () => {
  expect(resumeCommand(PLANTED_ID, "/srv/shop", join(homedir(), ".claude"))).toBe(
    `cd /srv/shop && claude --resume ${PLANTED_ID}`,
  );
  expect(resumeCommand(PLANTED_ID, null, "/srv/my config")).toBe(
    `CLAUDE_CONFIG_DIR='/srv/my config' claude --resume ${PLANTED_ID}`,
  );
});

describe("turnlog move", () => {
  test("moves a session and its side files to another project, bytes as they are", async () => {
    const { root, env } = oldLibrary();
    const before = readFileSync(join(root, PROJECT, `${PLANTED_ID}.jsonl`), "utf8");
    const { stdout } = await runCli(["move", PLANTED_ID, "/srv/shop"], env);
    expect(stdout).toBe(`cd /srv/shop && CLAUDE_CONFIG_DIR=${root} claude --resume ${PLANTED_ID}\n`);
    expect(readFileSync(join(root, "projects/-srv-shop", `${PLANTED_ID}.jsonl`), "utf8")).toBe(before);
    expect(existsSync(join(root, "projects/-srv-shop", PLANTED_ID, "tool-results/toolu_02.txt"))).toBe(true);
    expect(existsSync(join(root, PROJECT, PLANTED_ID))).toBe(false);
  });

  test("says what still names the place where it was", async () => {
    const { root, env } = oldLibrary();
    const path = join(root, PROJECT, `${PLANTED_ID}.jsonl`);
    const state = join(root, "jobs/5b0c7d1e/state.json");
    mkdirSync(dirname(state), { recursive: true });
    writeFileSync(state, JSON.stringify({ sessionId: PLANTED_ID, linkScanPath: path }));
    const projects = { "/home/dev/shop": { lastSessionId: PLANTED_ID }, "/srv": { lastSessionId: "another" } };
    writeFileSync(join(root, ".claude.json"), JSON.stringify({ projects }));
    const { stderr } = await runCli(["move", PLANTED_ID, "/srv/shop"], env);
    expect(stderr).toContain(`${state} still names the file where it was\n`);
    expect(stderr).toContain(`${join(root, ".claude.json")} still names it as the last session of 1 project\n`);
  });

  test("takes the files that are named after the session beside its transcript along", async () => {
    const { root, env } = oldLibrary();
    const names = [`${PLANTED_ID}.ccr-tip.json`, `${PLANTED_ID}.jsonl.superseded-1`];
    for (const name of names) writeFileSync(join(root, PROJECT, name), "{}");
    await runCli(["move", PLANTED_ID, "/srv/shop"], env);
    expect(names.filter((name) => existsSync(join(root, "projects/-srv-shop", name)))).toEqual(names);
    expect(readdirSync(join(root, PROJECT)).filter((name) => name.startsWith(PLANTED_ID))).toEqual([]);
  });

  test("goes to the folder that CLAUDE_CODE_PROJECT_DIR_NAME names", async () => {
    const { root, env } = oldLibrary();
    await runCli(["move", PLANTED_ID, "/srv/shop"], { ...env, CLAUDE_CODE_PROJECT_DIR_NAME: "work_1" });
    expect(existsSync(join(root, "projects/work_1", `${PLANTED_ID}.jsonl`))).toBe(true);
  });

  test("rewrites the working directory on request", async () => {
    const { root, env } = oldLibrary();
    await runCli(["move", PLANTED_ID, "/srv/shop", "--rewrite-cwd"], env);
    const text = readFileSync(join(root, "projects/-srv-shop", `${PLANTED_ID}.jsonl`), "utf8");
    expect(text).toContain('"cwd":"/srv/shop"');
    expect(text).not.toContain('"cwd":"/home/dev/shop"');
  });

  test.each([["--dry-run"], ["--dry-run", "--rewrite-cwd"]])("with %s changes nothing", async (...flags) => {
    const { root, env } = oldLibrary();
    const before = treeOf(root);
    expect(await runCli(["move", PLANTED_ID, "/srv/shop", ...flags], env)).toMatchObject({ exitCode: 0 });
    expect(treeOf(root)).toEqual(before);
  });
});

describe("turnlog repair", () => {
  const damaged = () => {
    const library = oldLibrary();
    const file = join(temporaryFolder(), "11111111-1111-4111-8111-111111111111.jsonl");
    const rows = chain(prompt("one"), answer("1"), prompt("two", { parentUuid: "lost" }), answer("2"));
    writeFileSync(file, toLines(rows).trimEnd());
    return { ...library, file, out: join(temporaryFolder(), "22222222-2222-4222-8222-222222222222.jsonl") };
  };

  test("only tells, by kind of problem", async () => {
    const { env, file, out } = damaged();
    const { stderr, exitCode } = await runCli(["repair", file, "-o", out], env);
    expect(stderr).toContain("    missing-parent: 1\n    no-final-newline: 1\n");
    expect(stderr).toContain("nothing was written (add --write to write it)");
    expect({ exitCode, isThere: existsSync(out) }).toEqual({ exitCode: 0, isThere: false });
  });

  test("writes with --write, and what it wrote verifies", async () => {
    const { env, file, out } = damaged();
    const { stdout } = await runCli(["repair", file, "-o", out, "--write", "--json"], env);
    expect(JSON.parse(stdout).problems).toContainEqual({ code: "missing-parent", found: 1, left: 0 });
    expect(await runCli(["verify", out], env)).toMatchObject({ exitCode: 0 });
  });
});

describe("turnlog merge", () => {
  test("adds the turns of another session", async () => {
    const { env } = oldLibrary();
    const other = join(temporaryFolder(), "11111111-1111-4111-8111-111111111111.jsonl");
    writeFileSync(other, toLines(chain(prompt("one"), answer("1"), prompt("two"), answer("2"))));
    const [id = ""] = (await runCli(["merge", PLANTED_ID, "--from", other, "--turns", "2"], env)).stdout.split("\n");
    const shown = JSON.parse((await runCli(["show", id, "--json"], env)).stdout);
    expect(shown.turns.at(-1).prompt).toBe("two");
  });

  test.each([[], ["--from", "x", "--branch", "y"], ["--branch", "y", "--at", "z"]])(
    "refuses %j as wrong usage",
    async (...wish) => {
      const { env } = oldLibrary();
      expect(await runCli(["merge", PLANTED_ID, ...wish], env)).toMatchObject({ exitCode: 2 });
    },
  );
});

describe("turnlog diff", () => {
  test("compares a session with a copy of it, as text and as JSON", async () => {
    const { env } = oldLibrary();
    const [id = ""] = (await runCli(["clone", PLANTED_ID], env)).stdout.split("\n");
    expect((await runCli(["diff", PLANTED_ID, id], env)).stdout).toContain("1 turn is the same");
    const { turns } = JSON.parse((await runCli(["diff", PLANTED_ID, id, "--json"], env)).stdout);
    expect(turns).toMatchObject([{ kind: "same", a: { index: 1 }, b: { index: 1 }, differs: [] }]);
  });

  test("needs something to compare with", async () => {
    const { env } = oldLibrary();
    expect(await runCli(["diff", PLANTED_ID], env)).toMatchObject({ exitCode: 2 });
  });
});

test("turnlog move completes a move that was killed when the session had both names", async () => {
  const { root, env } = oldLibrary();
  const [from, to] = [join(root, PROJECT), join(root, "projects/-home-dev-elsewhere")].map((folder) =>
    join(folder, `${PLANTED_ID}.jsonl`),
  ) as [string, string];
  mkdirSync(dirname(to));
  linkSync(from, to);
  expect(await runCli(["move", PLANTED_ID, "/home/dev/elsewhere", "--force"], env)).toMatchObject({ exitCode: 0 });
  expect([existsSync(from), existsSync(to)]).toEqual([false, true]);
});
