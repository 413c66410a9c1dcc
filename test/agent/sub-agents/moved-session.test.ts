import { appendFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadSession } from "../../../src/library/load/load-session.js";
import { type ChatWorld, makePlace, readRecorded, startChat } from "../chat-world.js";
import type { Reply } from "../mock-stream.js";
import type { SentRequest } from "../request-rules.js";

const asked = ({ messages }: SentRequest) => JSON.stringify(messages[0]?.content);

/** A sub-agent in the background that waits for a file, then changes one and reports. */
function play(request: SentRequest): Reply {
  const answers = request.messages.filter(({ role }) => role === "assistant").length;
  if (asked(request).includes("dig")) {
    const wait = {
      call: "Bash",
      input: { command: "touch started; until test -e go; do sleep 0.05; done; sleep 1.2" },
    };
    const write = { call: "Write", input: { file_path: "dug.txt", content: "deep\n" } };
    return { blocks: [[wait], [write], [{ text: "Dug." }]][answers] ?? [] };
  }
  const launch = { call: "Task", input: { description: "dig", prompt: "dig", run_in_background: true } };
  return { blocks: answers === 0 ? [launch] : [{ text: "Yes." }] };
}

/** Another program writes to the session while a sub-agent works in the background; then the next prompt comes. */
async function disturb(world: ChatWorld): Promise<string> {
  await world.send("one");
  await expect.poll(() => existsSync(join(world.place.project, "started")), { timeout: 10_000 }).toBe(true);
  const { path } = world.file;
  appendFileSync(path, '{"type":"summary","summary":"foreign","leafUuid":"x"}\n');
  await world.send("two");
  appendFileSync(join(world.place.project, "go"), "");
  await world.opened.news.next();
  return path;
}

test("a sub-agent in the background goes on beside the copy when another program writes to the session", async () => {
  const world = await startChat(play, { place: makePlace() });
  const left = await disturb(world);
  const { path, problems, lines } = world.file;
  expect(path).not.toBe(left);
  expect(world.opened.news.take()[0]).toContain("<result>Dug.</result>");
  expect(problems).toEqual([]);
  const [agent, ...others] = loadSession(path).subagents();
  expect(others).toEqual([]);
  const recorded = readRecorded(agent?.path ?? "");
  expect(recorded.problems).toEqual([]);
  expect(recorded.session.turns[0]?.toolCalls.map(({ name, status }) => [name, status])).toEqual([
    ["Bash", "ok"],
    ["Write", "ok"],
  ]);
  expect(new Set(recorded.lines.map(({ sessionId }) => sessionId))).toEqual(new Set([world.opened.log.sessionId]));
  expect(lines.filter(({ type }) => type === "file-history-delta")).toMatchObject([{ trackingPath: "dug.txt" }]);
  expect(world.api.problems).toEqual([]);
});

test("the session that was left keeps its sub-agent as far as it had come", async () => {
  const world = await startChat(play, { place: makePlace() });
  const left = await disturb(world);
  const folder = join(left.replace(/\.jsonl$/, ""), "subagents");
  const [file = ""] = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  expect(readFileSync(join(folder, file), "utf8")).toContain("touch started");
  expect(readFileSync(join(folder, file), "utf8")).not.toContain("dug.txt");
});

test("in the classic layout the one file of a sub-agent goes on", async () => {
  const world = await startChat(play, { place: makePlace() }, { layout: "classic" });
  const left = await disturb(world);
  expect(world.opened.news.take()[0]).toContain("<result>Dug.</result>");
  const [agent] = loadSession(left).subagents();
  expect(readRecorded(agent?.path ?? "").problems).toEqual([]);
  expect(readFileSync(agent?.path ?? "", "utf8")).toContain("dug.txt");
});
