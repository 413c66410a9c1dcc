import { expect, test } from "vitest";
import { temporaryFolder } from "../../../format/temporary-folder.js";
import { runCli } from "../../run-cli.js";

const emptyHome = () => ({ CLAUDE_CONFIG_DIR: temporaryFolder() });

test.each([
  { args: ["list"], shows: "1a0a6e10" },
  { args: ["show", "1a0a6e10"], shows: "1a0a6e10" },
  { args: ["export", "1a0a6e10", "--format", "json"], shows: "1a0a6e10" },
  { args: ["verify", "1a0a6e10"], shows: "0 errors" },
  { args: ["scan"], shows: "2 secrets in 1 session" },
])("$args --demo works on the demo sessions", async ({ args, shows }) => {
  const { stdout, exitCode } = await runCli([...args, "--demo"], emptyHome());
  expect(stdout).toContain(shows);
  expect(exitCode).toBe(0);
});

test.each(["last", "1a0a6e10"])("without sessions, `show %s` shows the demo and says so", async (name) => {
  const home = emptyHome();
  const { stdout, stderr, exitCode } = await runCli(["show", name], home);
  expect(stdout).not.toBe("");
  expect(stderr).toContain(`no sessions in ${home.CLAUDE_CONFIG_DIR}; showing a demo session\n`);
  expect(exitCode).toBe(0);
});

test("with sessions, a name that is only in the demo is not found", async () => {
  const file = "projects/-home-dev-shop/5b0c7d1e-9a34-4f6b-8c2d-1e0f3a4b5c6d.jsonl";
  const env = { CLAUDE_CONFIG_DIR: temporaryFolder({ [file]: "{}\n" }) };
  const { stdout, stderr, exitCode } = await runCli(["show", "1a0a6e10"], env);
  expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 1 });
  expect(stderr).toContain('no session is called "1a0a6e10"');
});
