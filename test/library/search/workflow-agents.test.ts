import { join } from "node:path";
import { expect, test } from "vitest";
import { runCli } from "../../cli/run-cli.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { CORPUS } from "../../oracle/corpus-sessions.js";

test.each([[[]], [["--no-index"]]])("words of an agent of a workflow are in the turn of its call %j", async (flags) => {
  const env = { CLAUDE_CONFIG_DIR: join(CORPUS, "2.1.326", "interactive"), TURNLOG_DATA_DIR: temporaryFolder() };
  const { stdout } = await runCli(["search", "Sub2 report", "--in", "answers", "--json", ...flags], env);
  expect(JSON.parse(stdout).hits).toMatchObject([{ agentId: "a35b3529b9b03f274", turn: 2 }]);
});
