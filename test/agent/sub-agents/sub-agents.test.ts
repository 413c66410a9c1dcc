import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readAgentTypes } from "../../../src/agent/sub-agents/agent-types.js";
import { loadSession } from "../../../src/library/load/load-session.js";
import { makePlace, readRecorded, startChat } from "../chat-world.js";
import type { Reply } from "../mock-stream.js";
import type { SentRequest } from "../request-rules.js";

const asked = ({ messages }: SentRequest) => JSON.stringify(messages[0]?.content);

/** The main conversation launches two, each of which reads a file and reports. */
function playAgents(request: SentRequest): Reply {
  const answers = request.messages.filter(({ role }) => role === "assistant").length;
  if (asked(request).includes("find ")) {
    const read = { call: "Read", input: { file_path: "a.txt" } };
    return answers === 0 ? { blocks: [{ text: "Looking." }, read] } : { blocks: [{ text: "Report: alpha." }] };
  }
  const task = (what: string, more: object = {}) => ({
    call: "Task",
    input: { description: what, prompt: `find ${what}`, subagent_type: "Explore", ...more },
  });
  return answers === 0 ? { blocks: [task("one"), task("two")] } : { blocks: [{ text: "Both reported." }] };
}

test("sub-agents work in files of their own, tied to their calls", async () => {
  const world = await startChat(playAgents, { place: makePlace({ "a.txt": "alpha\n" }) });
  expect(await world.send("ask them")).toMatchObject({ end: "done", text: "Both reported." });
  const { path, session, problems } = world.file;
  const folder = join(path.replace(/\.jsonl$/, ""), "subagents");
  const files = readdirSync(folder);
  expect(files.filter((name) => /^agent-a[0-9a-f]{16}\.jsonl$/.test(name))).toHaveLength(2);
  const meta = JSON.parse(readFileSync(join(folder, files.find((name) => name.endsWith(".meta.json")) ?? ""), "utf8"));
  expect(meta).toMatchObject({ agentType: "Explore", isBuiltIn: true, spawnDepth: 1, finished: true });
  const agents = loadSession(path).subagents();
  const calls = session.turns[0]?.toolCalls ?? [];
  expect(agents.map(({ toolUseId }) => toolUseId).toSorted()).toEqual(calls.map(({ id }) => id).toSorted());
  expect(calls[0]?.resultData).toMatchObject({ status: "completed", totalToolUseCount: 1, toolsUsed: ["Read"] });
  for (const { path: file } of agents) expect(readRecorded(file).problems).toEqual([]);
  expect(problems).toEqual([]);
  expect(world.api.problems).toEqual([]);
});

test("many sub-agents that launch others never wait for each other for ever", async () => {
  const task = (prompt: string) => ({
    call: "Task",
    input: { description: "d", prompt, subagent_type: "general-purpose" },
  });
  const world = await startChat((request) => {
    const hasAnswered = request.messages.some(({ role }) => role === "assistant");
    if (hasAnswered || asked(request).includes("leaf")) return { blocks: [{ text: "Done." }] };
    if (asked(request).includes("middle")) return { blocks: [task("leaf")] };
    return { blocks: Array.from({ length: 8 }, (_, at) => task(`middle ${at}`)) };
  });
  expect(await world.send("ask them all")).toMatchObject({ end: "done" });
  expect(loadSession(world.file.path).subagents()).toHaveLength(16);
});

test("in the classic layout sub-agents lie beside the session", async () => {
  const world = await startChat(playAgents, { place: makePlace({ "a.txt": "alpha\n" }) }, { layout: "classic" });
  await world.send("ask them");
  const folder = join(world.file.path, "..");
  expect(readdirSync(folder).filter((name) => /^agent-[0-9a-f]{7}\.jsonl$/.test(name))).toHaveLength(2);
  expect(loadSession(world.file.path).subagents()).toHaveLength(2);
});

test("an agent in the background is told of when it ends", async () => {
  const world = await startChat((request) => {
    const text = JSON.stringify(request.messages);
    if (asked(request).includes("find bg")) return { blocks: [{ text: "Found it." }] };
    if (text.includes("<task-notification>")) return { blocks: [{ text: "It is done." }] };
    if (text.includes("Async agent launched")) return { blocks: [{ text: "Launched." }] };
    return { blocks: [{ call: "Task", input: { description: "bg", prompt: "find bg", run_in_background: true } }] };
  });
  expect(await world.send("go")).toMatchObject({ text: "Launched." });
  await world.opened.news.next();
  const [news = ""] = world.opened.news.take();
  expect(news).toContain("<result>Found it.</result>");
  await world.opened.chat.send(news, "system", new AbortController().signal);
  expect(world.file.session.turns.map(({ kind }) => kind)).toEqual(["prompt", "notification"]);
  expect(world.file.problems).toEqual([]);
});

test("an agent that does not finish says so, in the background, too", async () => {
  const task = (prompt: string, more: object = {}) => ({
    call: "Task",
    input: { description: prompt, prompt, subagent_type: "Explore", ...more },
  });
  const world = await startChat((request) => {
    if (asked(request).includes("fails")) return { fault: "status", status: 400, message: "not like this" };
    if (asked(request).includes("refuses")) return { blocks: [{ text: "Half." }], stop: "refusal" };
    const isFirst = request.messages.length === 1;
    return { blocks: isFirst ? [task("refuses"), task("fails", { run_in_background: true })] : [{ text: "I see." }] };
  });
  await world.send("go");
  expect(JSON.stringify(world.file.session.turns[0]?.toolCalls[0]?.result)).toContain(
    "Half.\\n\\n(The sub-agent did not finish: the model refused to continue.)",
  );
  await world.opened.news.next();
  const [news = ""] = world.opened.news.take();
  expect(news).toMatch(/<status>failed<\/status>[\s\S]*Agent "fails" failed[\s\S]*not like this/);
});

test("a limit of cost counts for sub-agents, too", async () => {
  const world = await startChat(
    (request, index) => ({
      blocks: [
        asked(request).includes("dig")
          ? { call: "Read", input: { file_path: `${index}` } }
          : { call: "Task", input: { description: "dig", prompt: "dig" } },
      ],
    }),
    {},
    { maxCost: 0.003 },
  );
  expect(await world.send("go")).toMatchObject({ end: "max-cost", turns: 1 });
  expect(world.api.requests.length).toBeLessThan(20);
});

test.each(["tools: Read, Grep", "tools: [Read, 'Grep']", "tools:\n  - Read\n  - Grep"])(
  "an agent of one's own has the tools that %j gives it",
  (tools) => {
    const text = `---\nname: "judge"\ndescription: >\n  Looks,\n  and says.\n${tools}\nmodel: haiku\n---\nYou judge.`;
    const { project, configRoot } = makePlace({ ".claude/agents/judge.md": text, ".claude/agents/folder.md/x": "" });
    expect(readAgentTypes(configRoot, project, () => undefined).at(-1)).toMatchObject({
      name: "judge",
      description: "Looks, and says.",
      tools: ["Read", "Grep"],
      model: "haiku",
    });
  },
);

test("an unknown type is told to the model, and own types come from .claude/agents", async () => {
  const place = makePlace({
    ".claude/agents/poet.md": "---\nname: poet\ndescription: Writes verse\ntools: Read\n---\nYou rhyme.\n",
  });
  const world = await startChat(
    (request) => {
      const answers = request.messages.filter(({ role }) => role === "assistant").length;
      if (JSON.stringify(request.system).includes("You rhyme.")) return { blocks: [{ text: "Roses." }] };
      const task = (type: string) => ({ call: "Task", input: { description: "d", prompt: "p", subagent_type: type } });
      return answers === 0 ? { blocks: [task("nobody"), task("poet")] } : { blocks: [{ text: "Done." }] };
    },
    { place },
  );
  await world.send("go");
  expect(world.file.session.turns[0]?.toolCalls.map(({ status }) => status)).toEqual(["error", "ok"]);
  const poet = world.api.requests.find(({ system }) => JSON.stringify(system).includes("You rhyme."));
  expect(poet?.tools?.map(({ name }) => name)).toEqual(["Read"]);
});
