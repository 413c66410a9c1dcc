import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FaultPlan } from "../../../src/agent/mock/fault-plan.js";
import { AnswerFinder, readRequest } from "../../../src/agent/mock/match-request.js";
import { readDialogues } from "../../../src/agent/mock/read-dialogues.js";
import { readRecords } from "../../../src/format/reader/record-reader.js";
import type { ApiMessage } from "../../../src/format/record/api-message.js";
import { loadSession } from "../../../src/library/load/load-session.js";
import { toApiMessages } from "../../../src/session/replay/api-replay.js";

const CORPUS = join(import.meta.dirname, "..", "..", "corpus");
/** Sub-agents are served with their session. */
const sessions = readdirSync(CORPUS, { recursive: true, encoding: "utf8" }).filter(
  (name) => name.endsWith(".jsonl") && !/agent-|history\.jsonl/.test(name),
);

/** The requests of a whole conversation, each with the answer that was recorded. */
function requestsOf(path: string): { messages: readonly ApiMessage[]; answer: ApiMessage }[] {
  const { messages } = toApiMessages([...readRecords(path)]);
  return messages.flatMap((answer, at) =>
    answer.role === "assistant" && at > 0 ? [{ messages: messages.slice(0, at), answer }] : [],
  );
}

const contentOf = (blocks: readonly { readonly type: string }[]) =>
  blocks.map((block) => ("id" in block ? block.id : "text" in block ? block.text : block.type));

/** By path: what the finder gives to the requests of a session, one after the other, and what was recorded. */
function replayed(name: string, isStrict: boolean) {
  const path = join(CORPUS, name);
  const finder = new AnswerFinder(readDialogues(loadSession(path)).dialogues);
  return requestsOf(path).map(({ messages, answer }) => ({
    found: contentOf(finder.find(readRequest({ messages }), isStrict)?.answer.blocks ?? []),
    recorded: contentOf(answer.content),
  }));
}

test("the requests of recorded sessions get the recorded answers, and hardly any finds none", () => {
  const answers = sessions.flatMap((name) => replayed(name, true));
  const wrong = answers.filter(({ found, recorded }) => JSON.stringify(found) !== JSON.stringify(recorded));
  expect(answers.length).toBeGreaterThan(300);
  expect(wrong.length).toBeLessThan(answers.length * 0.03);
});

function said(...texts: string[]) {
  return { messages: texts.map((text, at) => ({ role: at % 2 === 0 ? "user" : "assistant", content: text })) };
}

function answerTo(prompt: string, text: string, index: number) {
  const before = { texts: [prompt], results: [] };
  const blocks = [{ type: "text", text }];
  return {
    agentId: null,
    index,
    before,
    id: `m${index}`,
    model: "m",
    blocks,
    stopReason: "end_turn",
    usage: {},
    waitsMs: [],
  };
}

const talk = [answerTo("go", "one", 0), answerTo("continue", "two", 1), answerTo("continue", "three", 2)];

test("of equal prompts the answer before tells which it is, however often a request is sent", () => {
  const finder = new AnswerFinder([{ agentId: null, answers: talk }]);
  const third = said("go", "one", "continue", "two", "continue");
  const ids = [said("go"), third, third, said("go", "one", "continue")].map(
    (body) => finder.find(readRequest(body), true)?.answer.id,
  );
  expect(ids).toEqual(["m0", "m2", "m2", "m1"]);
});

test("what was not recorded is answered by its place, and with strict not at all", () => {
  const finder = new AnswerFinder([{ agentId: null, answers: talk }]);
  const other = readRequest(said("something else"));
  const after = readRequest(said("something else", "one", "and then?"));
  expect([finder.find(other, true), finder.find(after, true)]).toEqual([undefined, undefined]);
  expect([finder.find(other, false), finder.find(after, false)]).toMatchObject([
    { answer: { id: "m0" }, by: "position" },
    { answer: { id: "m1" }, by: "position" },
  ]);
  expect(finder.find(readRequest(said("go", "three", "more")), false)).toBeUndefined();
});

test("reminders that a client adds do not hide a prompt", () => {
  const finder = new AnswerFinder([{ agentId: null, answers: talk }]);
  const content = [
    { type: "text", text: "<system-reminder>today</system-reminder>" },
    { type: "text", text: " go\n" },
  ];
  expect(finder.find(readRequest({ messages: [{ role: "user", content }] }), true)?.answer.id).toBe("m0");
});

test("faults are named by request, and wrong ones are refused", () => {
  const plan = new FaultPlan(["429@2", "cut@4-5"]);
  expect([1, 2, 3, 4, 5, 6].map((number) => plan.at(number)?.kind)).toEqual([
    undefined,
    "status",
    undefined,
    "cut",
    "cut",
    undefined,
  ]);
  expect(() => new FaultPlan(["429"])).toThrow("not a fault: 429");
  expect(() => new FaultPlan(["cut@5-4"])).toThrow("not a fault: cut@5-4");
  expect(() => new FaultPlan(["200@1"])).toThrow("not a fault: 200@1");
});
