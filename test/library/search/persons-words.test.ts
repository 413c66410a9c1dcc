import { appendFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Index } from "../../../src/library/catalog/open-index.js";
import { syncIndex } from "../../../src/library/sync/sync-index.js";
import * as build from "../../builders/session-builder.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { CORPUS } from "../../oracle/corpus-sessions.js";
import { hitsByIndex, hitsByScan, openTestIndex, projectFolder } from "../sync/index-contents.js";

const ID = "19f87600-2091-4aba-a07e-12c04fb97d36";
const CRAFTED = readFileSync(join(import.meta.dirname, "../../crafted/persons-words.jsonl"), "utf8");

function libraryOf(text: string): { root: string; path: string } {
  const root = temporaryFolder();
  mkdirSync(projectFolder(root), { recursive: true });
  const path = join(projectFolder(root), `${ID}.jsonl`);
  writeFileSync(path, text);
  return { root, path };
}

/** The lines with what a person said, by the index; the scan must find the same. */
async function promptLines(index: Index, root: string, text: string): Promise<number[]> {
  const request = { text: `"${text}"`, mode: "words" as const, filter: {}, kinds: ["prompt" as const] };
  const hits = await hitsByIndex(index, root, request);
  expect(await hitsByScan(root, request)).toEqual(hits);
  return hits.map(({ line }) => line);
}

async function indexed(root: string): Promise<Index> {
  const index = openTestIndex();
  await syncIndex(index, [root]);
  return index;
}

test.each([
  ["the words of a refusal", "use the name answer.txt", 4],
  ["the words of an approval", "keep it short", 9],
  ["an answer to a question", "bricks of the old station", 13],
  ["an approved plan", "Paint wall 30 dark red", 14],
])("%s is found once among the prompts", async (_what, words, line) => {
  const { root } = libraryOf(CRAFTED);
  expect(await promptLines(await indexed(root), root, words)).toEqual([line]);
});

test("recorded words are found, and not again as output or context", async () => {
  const root = temporaryFolder();
  cpSync(join(CORPUS, "2.1.326/interactive/projects"), join(root, "projects"), { recursive: true });
  const index = await indexed(root);
  expect(await promptLines(index, root, "keep it short")).toHaveLength(1);
  const everywhere = { text: "keep it short", mode: "literal" as const, filter: {} };
  expect((await hitsByScan(root, everywhere)).map(({ kind }) => kind)).toEqual(["prompt"]);
});

test("a plan that is approved after a sync becomes what a person said; one that is refused does not", async () => {
  const plan = (id: string, text: string) => build.call(id, "ExitPlanMode", { plan: text });
  const approval = build.result("a", "User has approved exiting plan mode. You can now proceed.");
  const refusal = build.result("b", "The user doesn't want to proceed with this tool use.", { isError: true });
  const lines = build.writeLines([
    build.prompt("plan"),
    plan("a", `first granite ${"long ".repeat(2000)}`),
    plan("b", "second granite"),
    refusal,
    approval,
  ]);
  const { root, path } = libraryOf(`${lines.slice(0, 3).join("\n")}\n`);
  const index = await indexed(root);
  expect(await promptLines(index, root, "granite")).toEqual([]);
  appendFileSync(path, `${lines.slice(3).join("\n")}\n`);
  await syncIndex(index, [root]);
  expect(await promptLines(index, root, "granite")).toEqual([2]);
});

test("what was written in a channel and spoken on a call is found, what a peer sent is not", async () => {
  const origin = (kind: string) => ({ origin: { kind } });
  const lines = build.writeLines([
    build.prompt('<channel source="chat">heron one</channel>', { ...origin("channel"), isMeta: true }),
    build.answer("yes"),
    build.system("voice_call_talk", { content: "heron two", isMeta: true, ...origin("voice-call") }),
    build.answer("no"),
    build.prompt("heron three", origin("peer")),
    build.attachment("queued_command", { prompt: "heron four", commandMode: "prompt", ...origin("channel") }),
    build.attachment("queued_command", { prompt: "heron five", commandMode: "prompt", ...origin("coordinator") }),
  ]);
  const { root } = libraryOf(`${lines.join("\n")}\n`);
  expect(await promptLines(await indexed(root), root, "heron")).toEqual([1, 3, 6]);
});
