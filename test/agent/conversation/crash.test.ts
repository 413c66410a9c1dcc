import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { stringAt } from "../../../src/format/json.js";
import { loadSession } from "../../../src/library/load/load-session.js";
import { makePlace, type Place, type RecordedFile, readRecorded } from "../chat-world.js";
import { startMockApi } from "../mock-api.js";
import type { AnswerBlock, Reply } from "../mock-stream.js";
import type { SentRequest } from "../request-rules.js";
import { onlySession, runChat, spawnChat } from "../spawn-chat.js";

const ARGS = ["--permission-mode", "bypassPermissions", "--compact-at", "5000"];
const FILES = ["one.txt", "two.txt", "three.txt"];

/** A long run: readers beside each other, sub-agents, changes, a summary; what comes next is seen from what was done. */
function play(request: SentRequest): Reply {
  const text = JSON.stringify(request.messages);
  if (JSON.stringify(request.system).includes("You sum up a conversation")) {
    return {
      blocks: [
        { text: `# Work\nDone so far: ${FILES.filter((file) => text.includes(`${file} ok`)).join(", ")} summed-up` },
      ],
    };
  }
  if (stringAt(request.messages[0]?.content[0], "text")?.startsWith("report on")) {
    const isFirst = request.messages.length === 1;
    return { blocks: isFirst ? [{ call: "Read", input: { file_path: "a.txt" } }] : [{ text: "It says alpha." }] };
  }
  return { blocks: [{ thinking: "what next" }, ...nextStep(text)], inputTokens: text.length };
}

function nextStep(text: string): readonly AnswerBlock[] {
  const bash = (command: string): AnswerBlock => ({ call: "Bash", input: { command } });
  const write = (file: string) =>
    bash(`test -e ${file} || { echo ${file} > part && mv part ${file}; }; cat ${file}; echo ${file} o''k; seq 1 200`);
  const task = (what: string): AnswerBlock => ({
    call: "Task",
    input: { description: what, prompt: `report on ${what}` },
  });
  if (!text.includes("alpha"))
    return [
      { text: "Looking." },
      { call: "Read", input: { file_path: "a.txt" } },
      { call: "Glob", input: { pattern: "*" } },
    ];
  if (!text.includes("It says alpha") && !text.includes("summed-up")) return [task("a"), task("b")];
  const open = FILES.find(
    (file) => !text.includes(`${file} ok`) && !text.includes(`far: ${file}`) && !text.includes(`, ${file}`),
  );
  return open === undefined ? [{ text: "All done." }] : [{ text: `Now ${open}.` }, write(open)];
}

/** How many events the whole run has. */
async function countEvents(): Promise<number> {
  let events = 0;
  const api = await startMockApi(play, () => {
    events += 1;
  });
  const run = await runChat(["-p", "work", ...ARGS], makePlace({ "a.txt": "alpha\n" }), api);
  await api.close();
  expect(run).toMatchObject({ exitCode: 0, stdout: "All done.\n" });
  expect(api.problems).toEqual([]);
  return events;
}

const SIGNALS = ["SIGKILL", "SIGTERM", "SIGINT"] as const;

/** Kills the run after an event, and a moment later where tools may be running. */
async function crash(place: Place, atEvent: number, signal: NodeJS.Signals): Promise<void> {
  let events = 0;
  const api = await startMockApi(play, () => {
    events += 1;
    if (events === atEvent) setTimeout(() => spawned.child.kill(signal), (atEvent * 7) % 40);
  });
  const spawned = spawnChat(["-p", "work", ...ARGS], place, api);
  await spawned.end;
  await api.close();
  expect(api.problems).toEqual([]);
}

function expectNothingLost(file: RecordedFile, { project }: Place, moment: string): void {
  expect(file.problems).toEqual([]);
  expect(file.session.totals).toMatchObject({ orphanToolCalls: 0, orphanToolResults: 0, brokenLines: 0 });
  // Nobody goes on with a sub-agent: its calls may stay open, and its file empty when it had said nothing yet.
  const ofAgents = loadSession(file.path)
    .subagents()
    .flatMap(({ path }) => readRecorded(path).problems);
  expect(ofAgents.filter(({ code }) => code !== "orphan-tool-use")).toEqual([]);
  for (const name of FILES) expect(readFileSync(join(project, name), "utf8"), moment).toBe(`${name}\n`);
}

async function crashAndGoOn(atEvent: number, signal: NodeJS.Signals): Promise<void> {
  const place = makePlace({ "a.txt": "alpha\n" });
  await crash(place, atEvent, signal);
  const isRecorded = existsSync(join(place.configRoot, "projects"));
  const before = isRecorded ? onlySession(place) : undefined;
  const unfinished = before?.problems.filter(({ code }) => code !== "orphan-tool-use") ?? [];
  expect(unfinished).toEqual([]);
  const api = await startMockApi(play);
  onTestFinished(() => api.close());
  const run = await runChat(["-p", "go on with the work", ...ARGS, ...(isRecorded ? ["-c"] : [])], place, api);
  expect(run.stderr).toBe("");
  expect(run).toMatchObject({ exitCode: 0, stdout: "All done.\n" });
  expect(api.problems).toEqual([]);
  expectNothingLost(onlySession(place), place, `${signal} at ${atEvent}, ${place.project}`);
  expect(stringAt(onlySession(place).lines.at(-1), "type")).not.toBe("user");
}

test("killed at any event of a long run, nothing is lost, and the session goes on", async () => {
  const events = await countEvents();
  expect(events).toBeGreaterThan(60);
  const step = process.env["TURNLOG_SOAK"] ? 1 : Math.floor(events / 6);
  for (let at = 2, count = 0; at <= events; at += step, count++) {
    for (const signal of process.env["TURNLOG_SOAK"] ? SIGNALS : [SIGNALS[count % 3] ?? "SIGKILL"])
      await crashAndGoOn(at, signal);
  }
}, 10_800_000);
