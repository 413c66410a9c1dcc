import { join } from "node:path";
import { expect, test } from "vitest";
import { loadSession } from "../../../src/library/load/load-session.js";
import { answer, assistant, call, chain, prompt, type Row, result, toLines } from "../../builders/session-builder.js";
import { temporaryFolder } from "../../format/temporary-folder.js";

const TIMEOUT_MS = 20_000;

function subagentsOf(rows: readonly Row[]) {
  return loadSession(join(temporaryFolder({ "s.jsonl": toLines(rows) }), "s.jsonl")).subagents();
}

/** A sub-agent as 1.x writes it: in the session file, with a root of its own and no id. */
function inline(...rows: readonly Row[]): Row[] {
  return rows.map((row, index) => ({ isSidechain: true, ...(index === 0 ? { parentUuid: null } : {}), ...row }));
}

const task = (id: string, words: string, description: string): Row =>
  call(id, "Task", { prompt: words, description, subagent_type: "worker" });

const launchesOf = (rows: readonly Row[]) =>
  subagentsOf(rows).map(({ toolUseId, description }) => [toolUseId, description]);

test("a sub-agent inside the session file belongs to the call with its prompt", () => {
  const long = "look closely ".repeat(200);
  const rows = chain(
    prompt("go"),
    task("t1", `${long}at a`, "look at a"),
    task("t2", `${long}at b`, "look at b"),
    ...inline(prompt(`${long}at b`), answer("b is fine")),
    ...inline(prompt(`${long}at a`), answer("a is fine")),
  );
  expect(launchesOf(rows)).toEqual([
    ["t2", "look at b"],
    ["t1", "look at a"],
  ]);
});

test("sub-agents with the same prompt belong to their calls in order, and one too many to none", () => {
  const agent = (name: string) => inline(prompt("look"), answer(name));
  const calls = [task("t1", "look", "first"), task("t2", "look", "second")];
  expect(launchesOf(chain(prompt("go"), ...calls, ...agent("a"), ...agent("b"), ...agent("c")))).toEqual([
    ["t1", "first"],
    ["t2", "second"],
    [null, null],
  ]);
});

test("a call that launched a sub-agent with an id is not taken for another one by its prompt", () => {
  const rows = chain(
    prompt("go"),
    task("t1", "look", "first"),
    result("t1", "done", { toolUseResult: { agentId: "a1" } }),
    ...inline(prompt("look", { agentId: "a1" })),
    ...inline(prompt("look")),
  );
  expect(launchesOf(rows)).toEqual([
    ["t1", "first"],
    [null, null],
  ]);
});

test("another tool with the same prompt launches nothing", () => {
  const rows = chain(prompt("go"), call("t1", "Bash", { prompt: "look" }), ...inline(prompt("look")));
  expect(launchesOf(rows)).toEqual([[null, null]]);
});

test("tens of thousands of records of one sub-agent are all counted", { timeout: TIMEOUT_MS }, () => {
  const said = Array.from({ length: 40_000 }, (_, index) => assistant(`m${index}`, [], { stopReason: null }));
  const [agent, ...others] = subagentsOf(chain(prompt("go"), ...inline(prompt("look"), ...said)));
  expect(others).toEqual([]);
  expect(agent?.totals).toMatchObject({ messages: 40_000, records: 40_001 });
});

test("thousands of sub-agents in one file are told apart", { timeout: TIMEOUT_MS }, () => {
  const names = Array.from({ length: 5_000 }, (_, index) => `t${index}`);
  const calls = names.map((id) => task(id, `look at ${id}`, id));
  const agents = names.toReversed().flatMap((id) => inline(prompt(`look at ${id}`), answer(id)));
  const launched = subagentsOf(chain(prompt("go"), ...calls, ...agents)).map(({ toolUseId }) => toolUseId);
  expect(launched).toEqual(names.toReversed());
});
