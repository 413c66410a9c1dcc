import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { chain, prompt, toLines } from "../../../builders/session-builder.js";
import { temporaryFolder } from "../../../format/temporary-folder.js";
import { oldLibrary } from "../../old-library.js";
import { PLANTED_ID } from "../../planted-library.js";
import { runCli } from "../../run-cli.js";
import { treeOf } from "../../tree-of.js";

const CORPUS = resolve(import.meta.dirname, "../../../corpus");
const MOVE = ["move", PLANTED_ID, "/srv/shop", "--rewrite-cwd", "--force"];
const transcriptIn = (root: string, slug: string) => join(root, "projects", slug, `${PLANTED_ID}.jsonl`);

test("stored paths change in the transcript, and in sub-agents, as --dry-run says", async () => {
  const root = temporaryFolder();
  cpSync(join(CORPUS, "2.1.326/interactive"), root, { recursive: true });
  const env = { CLAUDE_CONFIG_DIR: root, TURNLOG_DATA_DIR: temporaryFolder() };
  const args = ["move", "55c39d67", "/srv/app", "--rewrite-cwd", "--force"];
  const plan = JSON.parse((await runCli([...args, "--dry-run", "--json"], env)).stdout);
  const { stderr } = await runCli(args, env);
  const text = JSON.stringify(treeOf(join(root, "projects/-srv-app")));
  expect(new Set(text.match(/cwd\\+":\\+"[^"\\]*/g)?.map((found) => found.replace(/.*"/, "")))).toEqual(
    new Set(["/srv/app"]),
  );
  expect(plan).toMatchObject({ cwd: { from: "/home/dev/demo-app/src", to: "/srv/app" }, dryRun: true });
  expect(stderr).toContain(`rewrote paths in ${plan.rewritten} lines\n`);
});

test("what was said keeps the old path, and the command says how many lines", async () => {
  const { root, env } = oldLibrary();
  const path = transcriptIn(root, "-home-dev-shop");
  const words = toLines(chain(prompt("look into /home/dev/shop/a", { cwd: "/home/dev/shop" })));
  writeFileSync(path, readFileSync(path, "utf8") + words);
  const { stderr } = await runCli(MOVE, env);
  expect(stderr).toMatch(/rewrote paths in \d+ lines\n\d+ lines? still names? \/home\/dev\/shop in text/);
  expect(readFileSync(transcriptIn(root, "-srv-shop"), "utf8")).toContain("look into /home/dev/shop/a");
});

test("a move that was killed when the transcript had the new paths already is completed", async () => {
  const { root, env } = oldLibrary();
  const path = transcriptIn(root, "-home-dev-shop");
  writeFileSync(path, readFileSync(path, "utf8").replaceAll('"cwd":"/home/dev/shop', '"cwd":"/srv/shop'));
  expect(await runCli(MOVE, env)).toMatchObject({ exitCode: 0 });
  expect([path, transcriptIn(root, "-srv-shop")].map(existsSync)).toEqual([false, true]);
});
