import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, prompt, type Row, result, sessionText, uuidOf } from "../../../builders/session-builder.js";
import { temporaryFolder } from "../../../format/temporary-folder.js";
import { runCli } from "../../run-cli.js";

const committed = (sha: string, subject: string): Row[] => [
  call("c", "Bash", { command: "git commit -m x" }),
  { ...result("c", ""), toolUseResult: { stdout: `[main ${sha}] ${subject}\n 1 file changed, 1 insertion(+)` } },
];

const linked = (repository: string): Row => ({
  type: "pr-link",
  prNumber: 218,
  prUrl: `https://github.com/${repository}/pull/218`,
  prRepository: repository,
});

function library(sessions: Record<string, readonly Row[]>): Record<string, string> {
  const root = temporaryFolder();
  mkdirSync(join(root, "projects", "-w"), { recursive: true });
  for (const [at, [name, rows]] of Object.entries(sessions).entries()) {
    writeFileSync(join(root, "projects", "-w", `${uuidOf(at)}.jsonl`), sessionText(prompt(name), ...rows));
  }
  return { CLAUDE_CONFIG_DIR: root, TURNLOG_DATA_DIR: temporaryFolder() };
}

async function listed(args: readonly string[], env: Record<string, string>, cwd?: string): Promise<string[]> {
  const { stdout, stderr } = await runCli(["list", "--json", ...args], env, cwd === undefined ? {} : { cwd });
  expect(stderr).not.toContain("error");
  return JSON.parse(stdout).map(({ title }: { title: string }) => title);
}

test("sessions are listed by their pull request, from the index and from their files", async () => {
  const env = library({ shop: [linked("acme/shop")], other: [linked("acme/other")], none: [] });
  expect((await listed(["--pr", "218"], env)).sort()).toEqual(["other", "shop"]);
  expect(await listed(["--pr", "acme/shop#218"], env)).toEqual(["shop"]);
  expect(await listed(["--pr", "acme/shop#218", "--no-index"], env)).toEqual(["shop"]);
  expect(await listed(["--pr", "219"], env)).toEqual([]);
});

test("a session is listed by the beginning of a commit's sha, without its repository", async () => {
  const env = library({ made: committed("7be1d30", "Round once"), other: committed("0123456", "Round twice") });
  expect(await listed(["--commit", "7be1d30aa"], env)).toEqual(["made"]);
});

test.each([
  [["--pr", "x"], "not a pull request: x"],
  [["--commit", "none"], "no such commit: none"],
])("%j is refused in one line", async (args, message) => {
  const { stderr, exitCode } = await runCli(["list", ...args], library({}), { cwd: temporaryFolder() });
  expect(stderr).toContain(message);
  expect(exitCode).toBeGreaterThan(0);
});

test("a secret in the subject of a commit is masked", async () => {
  const secret = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
  const env = library({ made: committed("7be1d30", `Use ${secret}`) });
  const { stdout } = await runCli(["list", "--json"], env);
  expect(stdout).toContain("Use ");
  expect(stdout).not.toContain(secret);
});
