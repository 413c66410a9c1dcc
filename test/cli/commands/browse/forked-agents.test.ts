import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answer, chain, prompt, type Row, toLines } from "../../../builders/session-builder.js";
import { temporaryFolder } from "../../../format/temporary-folder.js";
import { CORPUS } from "../../../oracle/corpus-sessions.js";
import { runCli } from "../../run-cli.js";

const DAF = "daf7f90b-c90e-44f5-8640-58d496e57bc0";

/** A copy, since commands may write beside what they read. */
function background() {
  const root = temporaryFolder({});
  cpSync(join(CORPUS, "2.1.326", "background"), root, { recursive: true });
  const env = { CLAUDE_CONFIG_DIR: root, TURNLOG_DATA_DIR: join(root, "data") };
  const fork = join(root, "projects/-home-dev-demo-app", DAF, "subagents/agent-a64e1b06401134a7b.jsonl");
  return { env, fork };
}

const BEFORE = "[[ask]] please write";
const DIRECTIVE = "[[sub1]] Look again at what we discussed";

test("show prints what a fork began with, then its own turns", async () => {
  const { env, fork } = background();
  const { stdout } = await runCli(["show", fork, "--no-pager"], env);
  const places = [`began with the conversation of session ${DAF}`, BEFORE, "the fork itself", DIRECTIVE];
  const found = places.map((text) => stdout.indexOf(text, stdout.indexOf("began with")));
  expect(found.every((at) => at >= 0)).toBe(true);
  expect(found).toEqual([...found].sort((a, b) => a - b));
});

test("show of the session says below the call what the fork began with, without writing it again", async () => {
  const { env } = background();
  const { stdout } = await runCli(["show", DAF, "--no-pager", "--tools", "full"], env);
  expect(stdout).toContain(`began with the conversation of session ${DAF}`);
  expect(stdout.split(BEFORE).length - 1).toBe(1);
});

test.each(["md", "html"])("export as %s holds what a fork began with", async (format) => {
  const { env, fork } = background();
  const out = join(temporaryFolder(), `fork.${format}`);
  expect(await runCli(["export", fork, "--format", format, "-o", out], env)).toMatchObject({ exitCode: 0 });
  const text = readFileSync(out, "utf8");
  expect(text).toContain("please write");
  expect(text).toContain("Look again at what we discussed");
});

test("JSON of a fork's file has the context beside its turns, JSON of the session in its sub-agents", async () => {
  const { env, fork } = background();
  const own = JSON.parse((await runCli(["show", fork, "--json"], env)).stdout);
  expect(own.turns.map(({ prompt }: { prompt: string }) => prompt)).toEqual([DIRECTIVE]);
  expect(own.context).toMatchObject({ sessionId: DAF, records: 17, problem: null });
  expect(own.context.turns.map(({ prompt }: { prompt: string }) => prompt)).toContain(BEFORE);
  const session = JSON.parse((await runCli(["export", DAF, "--format", "json"], env)).stdout);
  expect(session.subagents[0]).toMatchObject({ isFork: true, context: { sessionId: DAF, records: 17 } });
  expect(session).not.toHaveProperty("context");
});

const PARENT = "c0000000-0000-4000-8000-000000000001";

test("a fork after a compaction began with the summary and what the compaction preserved", async () => {
  const rows = chain(
    prompt("long ago"),
    answer("forgotten"),
    prompt("kept words", { uuid: "kept" }),
    { type: "system", subtype: "compact_boundary", uuid: "b", content: "Conversation compacted" },
    prompt("the summary", { uuid: "s", isCompactSummary: true }),
    prompt("fork now", { uuid: "last" }),
  );
  const boundary = {
    parentUuid: null,
    logicalParentUuid: "kept",
    compactMetadata: { trigger: "manual", preservedMessages: { anchorUuid: "s", uuids: ["kept"], allUuids: ["kept"] } },
  };
  const lines = rows.map((row): Row => (row["uuid"] === "b" ? { ...row, ...boundary } : row));
  const side = { isSidechain: true, agentId: "a1" };
  const call = [{ type: "tool_use", id: "t1", name: "Agent", input: { subagent_type: "fork", prompt: "look" } }];
  const started = [
    { type: "tool_result", tool_use_id: "t1", content: "Fork started — that fork is you." },
    { type: "text", text: "<fork-boilerplate>\nrules\n</fork-boilerplate>\n\nYour directive: look" },
  ];
  const ref = { type: "fork-context-ref", agentId: "a1", parentSessionId: PARENT, parentLastUuid: "last" };
  const fork = chain(
    { ...answer("", side), message: { ...(answer("")["message"] as Row), id: "m-call", content: call } },
    prompt(started, side),
    answer("looked", side),
  ).map((row, at): Row => ({ ...row, uuid: `f${at}`, parentUuid: at === 0 ? null : `f${at - 1}` }));
  const root = temporaryFolder({
    [`projects/-p/${PARENT}.jsonl`]: toLines(lines),
    [`projects/-p/${PARENT}/subagents/agent-a1.jsonl`]: toLines([ref, ...fork]),
  });
  const path = join(root, "projects/-p", PARENT, "subagents/agent-a1.jsonl");
  const { stdout } = await runCli(["export", path, "--format", "api", "--no-redact"], {
    CLAUDE_CONFIG_DIR: root,
    TURNLOG_DATA_DIR: join(root, "data"),
  });
  expect(stdout).not.toContain("forgotten");
  const words = ["the summary", "kept words", "fork now", "Fork started", "Your directive: look", "looked"];
  const found = words.map((text) => stdout.indexOf(text));
  expect(found.every((at) => at >= 0)).toBe(true);
  expect(found).toEqual([...found].sort((a, b) => a - b));
});
