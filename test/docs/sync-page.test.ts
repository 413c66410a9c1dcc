import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCli } from "../cli/run-cli.js";
import { temporaryFolder } from "../format/temporary-folder.js";

const page = readFileSync(join(import.meta.dirname, "..", "..", "docs", "sync.md"), "utf8");
const commands = [...page.matchAll(/^```sh ?(\w*)\n([^`]*)```$/gm)].flatMap(([, machine = "", block = ""]) =>
  block
    .trim()
    .split("\n")
    .map((line) => ({ machine, line })),
);

test("the commands of the sync page do what it says, in its order", async () => {
  const home = temporaryFolder({ ".sync-passphrase": "correct horse\n" });
  const shared = join(home, "Shared");
  mkdirSync(shared);
  const results: string[] = [];
  for (const { machine, line } of commands) {
    const name = machine || "laptop";
    const root = join(home, name, "claude");
    const [, ...args] = (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', "").replace("~", home));
    mkdirSync(join(root, "projects", "-p"), { recursive: true });
    writeFileSync(join(root, "projects", "-p", `${ID[name]}.jsonl`), lineOf(name));
    const world = { CLAUDE_CONFIG_DIR: root, TURNLOG_DATA_DIR: join(home, name, "data") };
    const { exitCode, stdout, stderr } = await runCli(args, world);
    results.push(exitCode === 0 ? `${line}\n${stdout}` : `${line} failed: ${stderr}`);
  }
  expect(results).toHaveLength(11);
  expect(results.filter((result) => /failed/.test(result))).toEqual([]);
  expect(results[1]).toContain("from laptop  1 session");
  expect(results[2]).toContain("from desktop  1 session");
  expect(results[3]).toContain("desktop");
  expect(results[5]).toContain("desktop: 1 session");
});

const ID: Readonly<Record<string, string>> = {
  laptop: "aaaaaaaa-0000-4000-8000-000000000001",
  desktop: "bbbbbbbb-0000-4000-8000-000000000002",
};

function lineOf(name: string): string {
  const message = { role: "user", content: `the flaky test on ${name}` };
  return `${JSON.stringify({ type: "user", uuid: name, cwd: `/home/${name}/p`, timestamp: "2026-01-01T00:00:00.000Z", message })}\n`;
}
