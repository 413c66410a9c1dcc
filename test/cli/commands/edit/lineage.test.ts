import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { answer, chain, prompt, type Row, toLines } from "../../../builders/session-builder.js";
import { temporaryFolder } from "../../../format/temporary-folder.js";
import { CORPUS } from "../../../oracle/corpus-sessions.js";
import { runCli } from "../../run-cli.js";

const [DAF, AF3] = ["daf7f90b-c90e-44f5-8640-58d496e57bc0", "af3916e1-c017-4ed7-aff9-085a783626ca"];
const [C1F, NINE, A5D] = [
  "c1f42ebc-7c25-4509-a27f-c31b44a38897",
  "9e72b2bf-601d-4cfe-a4f2-0ec8d941081a",
  "a5d1f95d-559e-41c8-a0db-1f69286c82f2",
];
const [COMPACTED, FORK_SESSION] = ["71958ba7-fca6-4326-85c6-8340495a29ee", "9a3ea449-1ba6-4d32-bda7-bc6aaa2660e9"];

/** A copy of a recorded configuration folder. */
function recorded(name: string) {
  const root = temporaryFolder({});
  cpSync(join(CORPUS, "2.1.326", name), root, { recursive: true });
  return { root, env: { HOME: root, CLAUDE_CONFIG_DIR: root, TURNLOG_DATA_DIR: join(root, "data") } };
}

type Env = ReturnType<typeof recorded>["env"];

/** The same with and without an index. */
async function stepsOf(id: string, env: Env): Promise<readonly object[]> {
  const indexed = JSON.parse((await runCli(["lineage", id, "--json"], env)).stdout);
  const read = JSON.parse((await runCli(["lineage", id, "--json", "--no-index"], env)).stdout);
  expect(read).toEqual(indexed);
  return indexed;
}

describe("turnlog lineage", () => {
  test("knows a session that goes on in the background, from both ends", async () => {
    const { root, env } = recorded("background");
    const path = (id: string) => join(root, "projects/-home-dev-demo-app", `${id}.jsonl`);
    const step = { id: AF3, source: DAF, relation: "continued", command: null, path: path(AF3), sourcePath: path(DAF) };
    expect(await stepsOf(DAF, env)).toEqual([expect.objectContaining(step)]);
    expect(await stepsOf(AF3, env)).toEqual([expect.objectContaining(step)]);
  });

  test("lists what was made of a session by time, whoever made it", async () => {
    const { env } = recorded("background");
    const clone = (await runCli(["clone", DAF], env)).stdout.split("\n")[0] ?? "";
    const { stdout } = await runCli(["lineage", DAF], env);
    const ids = stdout.split("\n").map((line) => line.trim().split(" ")[0]);
    expect(ids).toEqual([DAF, AF3, clone, ""]);
  });

  test("says which session is gone, whichever it is", async () => {
    const { root, env } = recorded("background");
    const path = (id: string) => join(root, "projects/-home-dev-demo-app", `${id}.jsonl`);
    rmSync(path(AF3));
    expect(await stepsOf(DAF, env)).toMatchObject([{ id: AF3, source: DAF, path: null, evidence: "continued-in" }]);
    expect((await runCli(["lineage", DAF], env)).stdout).toMatch(new RegExp(`\\n {2}${AF3} .*\\(deleted\\)`));
    const other = recorded("background");
    rmSync(join(other.root, "projects/-home-dev-demo-app", `${DAF}.jsonl`));
    expect(await stepsOf(AF3, other.env)).toMatchObject([
      { id: AF3, source: DAF, relation: "continued", sourcePath: null, evidence: "requestSessionId" },
    ]);
    expect((await runCli(["lineage", AF3], other.env)).stdout).toMatch(new RegExp(`^${DAF} {2}\\(deleted\\)\\n`));
  });

  test("a session that went on itself is not continued elsewhere any more", async () => {
    const { root, env } = recorded("background");
    const path = join(root, "projects/-home-dev-demo-app", `${DAF}.jsonl`);
    rmSync(join(root, "projects/-home-dev-demo-app", `${AF3}.jsonl`));
    writeFileSync(path, readFileSync(path, "utf8") + toLines([prompt("on we go", { parentUuid: null })]));
    expect(await stepsOf(DAF, env)).toEqual([]);
  });

  test("knows /branch and /fork with their direct sources", async () => {
    const { env } = recorded("interactive");
    const branched = { id: NINE, source: C1F, relation: "branched" };
    const forked = { id: A5D, source: NINE, relation: "forked" };
    const both = [expect.objectContaining(branched), expect.objectContaining(forked)];
    expect(await stepsOf(C1F, env)).toEqual(expect.arrayContaining(both));
    expect(await stepsOf(A5D, env)).toHaveLength(2);
    expect(await stepsOf(NINE, env)).toEqual(expect.arrayContaining(both));
  });

  test("believes the job of a background session more than its copies", async () => {
    const { root, env } = recorded("interactive");
    mkdirSync(join(root, "jobs/a5d1f95d"), { recursive: true });
    const state = { sessionId: A5D, forkParentSessionId: COMPACTED };
    writeFileSync(join(root, "jobs/a5d1f95d/state.json"), JSON.stringify(state));
    expect(await stepsOf(A5D, env)).toMatchObject([{ id: A5D, source: COMPACTED, evidence: "job", sourcePath: null }]);
  });

  test("knows --fork-session of a compacted session", async () => {
    const { env } = recorded("print");
    const step = { id: FORK_SESSION, source: COMPACTED, relation: "forked" };
    expect(await stepsOf(COMPACTED, env)).toEqual([expect.objectContaining(step)]);
    expect(await stepsOf(FORK_SESSION, env)).toEqual([expect.objectContaining(step)]);
  });

  test("knows sessions that Claude Code says it derived, and stops in a circle", async () => {
    const [one, two] = ["b0000000-0000-4000-8000-000000000001", "b0000000-0000-4000-8000-000000000002"];
    const derived = (sessionId: string, id: string): Row => ({
      ...{ type: "derived-from", sessionId, v: 1, sessions: [{ type: "session", id, via: "import" }] },
    });
    const root = temporaryFolder({
      [`projects/-p/${one}.jsonl`]: toLines([...chain(prompt("a"), answer("b")), derived(one, two)]),
      [`projects/-p/${two}.jsonl`]: toLines([...chain(prompt("c"), answer("d")), derived(two, one)]),
    });
    const env = { HOME: root, CLAUDE_CONFIG_DIR: root, TURNLOG_DATA_DIR: join(root, "data") };
    expect(await stepsOf(one, env)).toHaveLength(2);
    expect((await runCli(["lineage", one], env)).stdout.trimEnd().split("\n")).toHaveLength(3);
  });
});
