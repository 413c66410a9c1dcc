import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { stringAt } from "../src/format/json.js";
import { readRecords } from "../src/format/reader/record-reader.js";
import { describeSession, type Session } from "../src/session/describe-session.js";
import { expectedFacts } from "./oracle/expected-facts.js";

const ROOT = resolve(import.meta.dirname, "..");
const DEMO = join(ROOT, "demo");
const regenerated = mkdtempSync(join(tmpdir(), "turnlog-demo-"));
afterAll(() => rmSync(regenerated, { recursive: true, force: true }));

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => statSync(join(folder, path)).isFile())
    .toSorted();
}

function contentOf(folder: string): [string, string][] {
  return filesIn(folder).map((path) => [path, readFileSync(join(folder, path), "utf8")]);
}

const transcripts = filesIn(DEMO).filter((path) => path.endsWith(".jsonl"));
const agentFiles = transcripts.filter((path) => path.includes("agent-"));
const sessionFiles = transcripts.filter((path) => !path.includes("agent-"));
const understand = (path: string) => describeSession([...readRecords(join(DEMO, path))]);
const sessions = sessionFiles.map(understand);
const turns = sessions.flatMap((session) => session.turns);
const calls = turns.flatMap(({ toolCalls }) => toolCalls);
const blocks = turns.flatMap(({ messages }) => messages).flatMap((message) => message.blocks);

const countWith = (has: (session: Session) => boolean) => sessions.filter(has).length;
const callsNamed = (name: string) => calls.filter((call) => call.name === name);
const toSlug = (cwd: string | null) => cwd?.replace(/[^A-Za-z0-9]/g, "-");

function failedThenPassed({ toolCalls }: Session["turns"][number]): boolean {
  const tests = toolCalls.filter(({ summary }) => /vitest|pytest|cargo test/.test(summary));
  return tests.some(({ status }) => status === "error") && tests.at(-1)?.status === "ok";
}

describe("every demo transcript", () => {
  test.each(transcripts)("is understood without a warning: %s", (path) => {
    const { warnings, totals } = understand(path);
    expect(warnings).toEqual([]);
    expect(totals).toMatchObject({ brokenLines: 0, otherRecords: 0, orphanToolCalls: 0, orphanToolResults: 0 });
  });

  test.each(transcripts)("means the same to the oracle: %s", (path) => {
    const { totals, branches } = understand(path);
    const expected = expectedFacts(join(DEMO, path));
    expect(totals).toMatchObject(expected.totals);
    expect(branches.dead.map(({ leaf, turns: count }) => ({ leaf, turns: count }))).toEqual(expected.branches.dead);
  });

  test.each(sessionFiles)("lies in the folder of its project: %s", (path) => {
    expect(path.split("/")[1]).toBe(toSlug(understand(path).session.project));
  });

  test.each(sessionFiles)("has a price: %s", (path) => {
    expect(understand(path).totals.costUsd).toBeGreaterThan(0);
  });
});

describe("the demo library", () => {
  test("is three projects in the layouts of three clients, within October and November 2026", () => {
    expect(new Set(sessions.map(({ session }) => session.project)).size).toBe(3);
    expect(new Set(sessions.flatMap(({ session }) => session.versions))).toEqual(
      new Set(["2.0.50", "2.1.45", "2.1.325"]),
    );
    expect(sessions.filter(({ session }) => !/^2026-1[01]-/.test(session.startedAt ?? ""))).toEqual([]);
  });

  test("comes out of its script byte by byte", () => {
    execFileSync(process.execPath, [join(ROOT, "scripts", "make-demo.mjs"), regenerated]);
    expect(contentOf(regenerated)).toEqual(contentOf(DEMO));
  });

  test("stays below 400 KB", () => {
    const bytes = filesIn(DEMO).reduce((sum, path) => sum + statSync(join(DEMO, path)).size, 0);
    expect(bytes).toBeLessThan(400_000);
  });

  test("shows thinking, parallel calls, todos and edits with their patches", () => {
    expect(blocks.filter(({ kind }) => kind === "thinking").length).toBeGreaterThan(5);
    expect(turns.some(({ messages }) => messages.some((it) => it.blocks.filter(isCall).length > 2))).toBe(true);
    expect(callsNamed("TodoWrite").length).toBeGreaterThan(2);
    expect(callsNamed("Edit").filter(({ resultData }) => !hasPatch(resultData))).toEqual([]);
  });

  test("shows failing tests that pass in the end, in each of the three languages", () => {
    expect(countWith((session) => session.turns.some(failedThenPassed))).toBe(3);
  });

  test("shows a denied call, one that was stopped with Esc, and a message cut off while it streamed", () => {
    expect(new Set(calls.map(({ status }) => status))).toEqual(new Set(["ok", "error", "denied", "interrupted"]));
    expect(
      countWith(({ totals, session }) => totals.unknownOutputs === 1 && session.versions.includes("2.1.325")),
    ).toBe(1);
  });

  test("shows one rewind, as a dead branch with the tokens that it cost", () => {
    const dead = sessions.flatMap(({ branches }) => branches.dead);
    expect(dead).toHaveLength(1);
    expect(dead[0]?.turns).toBe(1);
    expect(dead[0]?.usage.output).toBeGreaterThan(0);
  });

  test("shows a compaction by hand and one for lack of room that keeps the prompt", () => {
    const compactions = sessions.flatMap((session) => session.compactions);
    expect(compactions.map(({ trigger }) => trigger).toSorted()).toEqual(["auto", "manual"]);
    expect(compactions.find(({ trigger }) => trigger === "auto")?.preserved?.uuids).toHaveLength(1);
  });

  test("shows a sub-agent at each of the places where clients put its file", () => {
    const linked = calls.filter(({ agentId }) => agentFiles.some((path) => path.includes(`agent-${agentId}.jsonl`)));
    expect(linked).toHaveLength(3);
    expect(agentFiles.filter((path) => path.includes("subagents"))).toHaveLength(2);
    const metaFiles = filesIn(DEMO).filter((path) => path.endsWith(".meta.json"));
    const launched = metaFiles.map((path) => stringAt(JSON.parse(readFileSync(join(DEMO, path), "utf8")), "toolUseId"));
    expect(launched).toEqual(callsNamed("Agent").map(({ id }) => id));
  });

  test("shows turns of every kind, and background tasks that were answered", () => {
    expect(new Set(turns.map(({ kind }) => kind))).toEqual(new Set(["prompt", "command", "bash", "notification"]));
    expect(calls.filter(({ notification }) => notification?.status === "completed")).toHaveLength(2);
  });

  test("shows follow-ups, one delivered and one that only the queue knows", () => {
    const followUps = turns.flatMap((turn) => turn.followUps);
    expect(followUps.map(({ deliveryRecorded }) => deliveryRecorded).toSorted()).toEqual([false, true]);
  });

  test("shows local commands and IDE context", () => {
    expect(turns.flatMap(({ locals }) => locals.map(({ prompt }) => prompt.split(" ")[0])).toSorted()).toEqual([
      "/compact",
      "/cost",
      "/rename",
      "/rename",
    ]);
    expect(turns.flatMap(({ context }) => context).map(({ kind }) => kind)).toEqual(["ide_selection"]);
  });

  test("shows titles from every source, an API error, pull requests and the client's own cost", () => {
    expect(new Set(sessions.map(({ session }) => session.titleSource))).toEqual(
      new Set(["custom-title", "ai-title", "first-prompt"]),
    );
    expect(countWith(({ totals }) => totals.apiErrors === 1)).toBe(1);
    expect(countWith(({ session }) => session.prLinks.length > 0)).toBe(2);
    expect(countWith(({ session }) => (session.reportedCostUsd ?? 0) > 0)).toBe(4);
  });

  test("holds the example key of a cloud vendor's manual, for a redactor to find", () => {
    const holders = sessionFiles.filter((path) =>
      readFileSync(join(DEMO, path), "utf8").includes("AKIAQ7TLM4ZRNX2WKC5B"),
    );
    expect(holders).toHaveLength(1);
  });
});

function isCall({ kind }: { readonly kind: string }): boolean {
  return kind === "toolCall";
}

function hasPatch(data: unknown): boolean {
  return JSON.stringify(data).includes('"structuredPatch":[{');
}
