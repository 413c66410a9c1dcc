import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answer, chain, prompt, toLines } from "../../../builders/session-builder.js";
import { temporaryFolder } from "../../../format/temporary-folder.js";
import { tokenOf } from "../../planted-library.js";
import { type CliWorld, runCli } from "../../run-cli.js";

const FOLDER = join("projects", "-home-dev-shop");
const PRESENT = "7c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e4f";
const GONE = "1a2b3c4d-5e6f-4a7b-8c9d-0e1f2a3b4c5d";
const OLDER = "2b3c4d5e-6f7a-4b8c-9d0e-1f2a3b4c5d6e";
const COPIED = "3c4d5e6f-7a8b-4c9d-8e1f-2a3b4c5d6e7f";
const HASH = "00112233445566aa";
const LOST_HASH = "ffeeddccbbaa9988";

interface Typed {
  readonly id: string;
  readonly text: string;
  readonly day: number;
  readonly project?: string;
  readonly pastes?: object;
}

function typed({ id, text, day, project = "/home/dev/shop", pastes = {} }: Typed): string {
  const timestamp = Date.UTC(2026, 4, day, 12);
  return JSON.stringify({ display: text, pastedContents: pastes, timestamp, project, sessionId: id });
}

const PASTES = {
  1: { id: 1, type: "text", contentHash: HASH },
  2: { id: 2, type: "text", contentHash: LOST_HASH },
  3: { id: 3, type: "image", content: "iVBORw0KGgo=" },
  4: { id: 4, type: "text", contentHash: "../../../secret" },
};

const HISTORY = [
  typed({ id: PRESENT, text: "still here", day: 9 }),
  typed({ id: OLDER, text: "count the socks", day: 1, project: "/home/dev/socks" }),
  "{ broken",
  typed({ id: GONE, text: `log in with ${tokenOf("prompt")} [Pasted text #1]`, day: 3, pastes: PASTES }),
  '{"sessionId":17}',
  '{"sessionId":"../../etc","display":"no id","timestamp":1}',
  `{"sessionId":"${GONE}","display":["odd"],"timestamp":1e300,"pastedContents":[null]}`,
  typed({ id: GONE, text: "and \u001b[2Jthen", day: 5 }),
].join("\n");

function library(history = HISTORY) {
  const lines = toLines(chain(prompt("one"), answer("1")));
  const root = temporaryFolder({
    [join(FOLDER, `${PRESENT}.jsonl`)]: lines,
    [join(FOLDER, `${COPIED}.jsonl`)]: lines,
    "history.jsonl": history,
    [join("paste-cache", `${HASH}.txt`)]: "a long\npasted text",
  });
  const env = { CLAUDE_CONFIG_DIR: root, TURNLOG_DATA_DIR: temporaryFolder() };
  return { root, run: (args: readonly string[], world?: CliWorld) => runCli(args, env, world) };
}

test("list --deleted tells what is left of each deleted session, latest first and masked", async () => {
  const { run } = library();
  const { stdout } = await run(["list", "--deleted", "--json"]);
  expect(JSON.parse(stdout)).toEqual([
    {
      id: GONE,
      project: "/home/dev/shop",
      firstPromptAt: "2026-05-03T12:00:00.000Z",
      lastPromptAt: "2026-05-05T12:00:00.000Z",
      prompts: 3,
      firstPrompt: expect.stringMatching(/^log in with \[.+\] \[Pasted text #1\]$/),
      archived: false,
    },
    expect.objectContaining({ id: OLDER, prompts: 1, firstPrompt: "count the socks" }),
  ]);
  expect(stdout).not.toContain(tokenOf("prompt"));
  expect((await run(["list", "--deleted", "--json", "--reveal"])).stdout).toContain(tokenOf("prompt"));
});

test.each([
  [["--project", "socks"], [OLDER]],
  [["--since", "2026-05-04"], [GONE]],
  [["--until", "2026-05-02"], [OLDER]],
  [["--limit", "1"], [GONE]],
])("filters work: %j", async (filter, ids) => {
  const { stdout } = await library().run(["list", "--deleted", "--json", ...filter]);
  expect(JSON.parse(stdout).map(({ id }: { id: string }) => id)).toEqual(ids);
});

test("a filter that asks for more than prompts is refused", async () => {
  const run = await library().run(["list", "--deleted", "--model", "opus"]);
  expect(run).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("--project, --since, --until and --limit"),
  });
});

test("a session that only the archive has is among them", async () => {
  const { root, run } = library();
  await run(["archive", "on"]);
  rmSync(join(root, FOLDER, `${COPIED}.jsonl`));
  const listed = JSON.parse((await run(["list", "--deleted", "--json"])).stdout);
  expect(listed).toContainEqual(
    expect.objectContaining({ id: COPIED, archived: true, prompts: 1, firstPrompt: "one" }),
  );
  expect((await run(["list", "--deleted"])).stdout).toMatch(/3c4d5e6f .*1 prompt +in the archive/);
});

test("show prints the prompts of a deleted session, with pastes that are still there", async () => {
  const { stdout, exitCode } = await library().run(["show", "1a2b3c4d"]);
  expect(exitCode).toBe(0);
  expect(stdout).toContain("only what was typed is left");
  expect(stdout).toContain("paste 1:\n  a long\n  pasted text\n");
  expect(stdout).toContain("paste 2: deleted by Claude Code's clean-up");
  expect(stdout).toContain("paste 3: image");
  expect(stdout).not.toMatch(new RegExp(`${tokenOf("prompt")}|\u001b\\[2J`));
});

test("show --json marks that there are only prompts", async () => {
  const { run } = library();
  const shown = JSON.parse((await run(["show", GONE, "--json"])).stdout);
  expect(shown).toMatchObject({ schema: 1, onlyPrompts: true, session: { id: GONE, project: "/home/dev/shop" } });
  expect(shown.prompts.map(({ number }: { number: number }) => number)).toEqual([1, 2, 3]);
  expect(shown.prompts[0].pastes).toEqual([
    { id: 1, kind: "text", text: "a long\npasted text" },
    { id: 2, kind: "text", text: null },
    { id: 3, kind: "image", text: null },
    { id: 4, kind: "text", text: null },
  ]);
  const last = JSON.parse((await run(["show", GONE, "--json", "--turns", "3"])).stdout);
  expect(last.prompts).toEqual([expect.objectContaining({ number: 3, text: "and \u001b[2Jthen" })]);
});

test("a session that nothing knows is still not found, and one that is there is shown whole", async () => {
  const { run } = library();
  expect(await run(["show", "deadbeef"])).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("no session") });
  expect(JSON.parse((await run(["show", PRESENT, "--json"])).stdout)).not.toHaveProperty("onlyPrompts");
});

test("a large hostile history does not hide what is in it", async () => {
  const huge = `{"sessionId":"${GONE}","display":"${"x".repeat(6_000_000)}","timestamp":1}`;
  const deep = `{"sessionId":"${GONE}","a":${"[".repeat(200_000)}`;
  const { run } = library([huge, deep, "\0".repeat(1_000_000), typed({ id: OLDER, text: "found", day: 2 })].join("\n"));
  const listed = JSON.parse((await run(["list", "--deleted", "--json"])).stdout) as {
    id: string;
    firstPrompt: string;
  }[];
  expect(listed.find(({ id }) => id === OLDER)?.firstPrompt).toBe("found");
  expect(listed.every(({ firstPrompt }) => firstPrompt.length <= 500)).toBe(true);
});
