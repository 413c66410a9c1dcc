import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, prompt, type Row, result, sessionText, uuidOf } from "../../../builders/session-builder.js";
import { temporaryFolder } from "../../../format/temporary-folder.js";
import { runCli } from "../../run-cli.js";

const SESSION = uuidOf(1);

interface Edit {
  readonly id: string;
  readonly path: string;
  readonly before: string;
  readonly from: string;
  readonly to: string;
}

function edited({ id, path, before, from, to }: Edit, more: Row = {}): Row[] {
  const input = { file_path: path, old_string: from, new_string: to };
  const toolUseResult = { filePath: path, oldString: from, newString: to, originalFile: before, userModified: false };
  return [call(id, "Edit", input), { ...result(id, "updated"), toolUseResult: { ...toolUseResult, ...more } }];
}

function library(...rows: readonly Row[]): Record<string, string> {
  const root = temporaryFolder();
  mkdirSync(join(root, "projects", "-w"), { recursive: true });
  writeFileSync(join(root, "projects", "-w", `${SESSION}.jsonl`), sessionText(...rows));
  return { CLAUDE_CONFIG_DIR: root, TURNLOG_DATA_DIR: temporaryFolder() };
}

const BEFORE = "export const first = 1;\n}\n";
const ADDED = "export const first = 1;\nexport const second = 2;\n";

/** A repository with one commit, and a session that added a line to its file. */
function shop() {
  const folder = temporaryFolder();
  const file = join(folder, "cart.ts");
  writeFileSync(file, BEFORE);
  const at = { GIT_AUTHOR_DATE: "2025-12-31T12:00:00Z", GIT_COMMITTER_DATE: "2025-12-31T12:00:00Z" };
  const identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"];
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", ...at };
  const git = (...args: string[]) => execFileSync("git", [...identity, ...args], { cwd: folder, env });
  git("init", "-q", "-b", "main");
  git("add", ".");
  git("commit", "-qm", "Add the cart");
  writeFileSync(file, `${ADDED}}\nby hand\n`);
  const edit = { id: "e", path: file, before: BEFORE, from: "export const first = 1;\n", to: ADDED };
  return { folder, file, env: library(prompt("add the second key AKIAQ3EGRJ7XK2ZB5M4T"), ...edited(edit)) };
}

test("each line is shown with the turn or the commit that wrote it, also without an index", async () => {
  const { folder, env } = shop();
  for (const more of [[], ["--no-index"]]) {
    const { stdout, stderr } = await runCli(["blame", "cart.ts", ...more], env, { cwd: folder });
    expect(stdout.replace(/[0-9a-f]{8}(?= +2025)/g, "<commit>")).toMatchInlineSnapshot(`
      "<commit>   2025-12-31 Ann 1  export const first = 1;
      aaaaaaaa 1 2026-01-01 x   2  export const second = 2;
      ?                         3  }
      ?                         4  by hand
      "
    `);
    expect(stderr).toContain("4 lines: 1 by 1 turn of 1 session, 1 by 1 commit, 2 unknown\n");
  }
});

test("the prompts stand above their lines, masked", async () => {
  const { folder, env } = shop();
  const { stdout } = await runCli(["blame", "cart.ts:2-2", "--prompts"], env, { cwd: folder });
  expect(stdout).toContain("aaaaaaaa turn 1, 2026-01-01: add the second key ");
  expect(stdout).not.toContain("AKIAQ3EGRJ7XK2ZB5M4T");
  expect(stdout).toContain("2  export const second = 2;\n");
  const revealed = await runCli(["blame", "cart.ts:2", "--json", "--reveal"], env, { cwd: folder });
  expect(JSON.parse(revealed.stdout)).toMatchObject({
    counts: { turn: 1, commit: 0, unknown: 0 },
    lines: [{ line: 2, origin: "turn", turn: 0, commit: null, reformatted: false }],
    turns: [{ session: SESSION, turn: 1, prompt: "add the second key AKIAQ3EGRJ7XK2ZB5M4T", agentId: null }],
  });
});

test("a file is the same through a link, and an edit that a person changed is not the model's", async () => {
  const { folder, file } = shop();
  const link = join(temporaryFolder(), "linked.ts");
  symlinkSync(file, link);
  const edit = { id: "e", path: link, before: BEFORE, from: "export const first = 1;\n", to: ADDED };
  const counts = async (env: Record<string, string>) =>
    JSON.parse((await runCli(["blame", link, "--json"], env, { cwd: folder })).stdout).counts;
  expect(await counts(library(prompt("go"), ...edited(edit)))).toEqual({ turn: 1, commit: 1, unknown: 2 });
  const changed = edited(edit, { userModified: true });
  expect(await counts(library(prompt("go"), ...changed))).toEqual({ turn: 0, commit: 1, unknown: 3 });
});

test.each([
  ["missing.ts", "no such file"],
  [".", "is a folder"],
  ["image.png", "is not a text file"],
  ["cart.ts:9", "has only 4 lines"],
  ["cart.ts:3-2", "not a range of lines"],
])("blame of %s is refused with one line", async (name, message) => {
  const { folder, env } = shop();
  writeFileSync(join(folder, "image.png"), new Uint8Array([0x89, 0x50, 0, 1]));
  const { exitCode, stdout, stderr } = await runCli(["blame", name], env, { cwd: folder });
  expect([exitCode > 0, stdout]).toEqual([true, ""]);
  expect(stderr).toContain(message);
});
