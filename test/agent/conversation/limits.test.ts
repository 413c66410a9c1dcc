import { expect, test } from "vitest";
import { startChat } from "../chat-world.js";
import type { SentRequest } from "../request-rules.js";

const UNKNOWN = "nobody-knows-1";
const call = (n: number) => ({ blocks: [{ call: "Bash", input: { command: `echo ${n}` } }] });

test("under a cost limit a model without a price is refused, unless there is a token limit", async () => {
  const limits = { maxCost: 1, modelName: UNKNOWN };
  await expect(startChat([], {}, limits)).rejects.toThrow(`no price for ${UNKNOWN}`);
  const world = await startChat([call(1), call(2), call(3)], {}, { ...limits, maxTokensTotal: 200 });
  expect(await world.send("go")).toMatchObject({ end: "max-tokens", turns: 2 });
  expect(world.api.requests).toHaveLength(2);
  expect(world.file.session.totals.orphanToolCalls).toBe(0);
});

test("a sub-agent cannot be given a model that the cost limit does not reach", async () => {
  const task = { call: "Task", input: { description: "d", prompt: "dig", model: UNKNOWN } };
  const world = await startChat(
    ({ messages }) => ({ blocks: messages.length === 1 ? [task] : [{ text: "Well." }] }),
    {},
    { maxCost: 1 },
  );
  expect(await world.send("go")).toMatchObject({ end: "done" });
  expect(world.api.requests.map(({ model }) => model)).not.toContain(UNKNOWN);
  expect(JSON.stringify(world.file.session.turns[0]?.toolCalls[0]?.result)).toContain(`no price for ${UNKNOWN}`);
});

test("tokens of sub-agents count, and the next prompt sends nothing once a limit is reached", async () => {
  const isOfAgent = ({ messages }: SentRequest) => JSON.stringify(messages[0]?.content).includes("dig");
  const world = await startChat(
    (request, index) => ({
      blocks: [
        isOfAgent(request)
          ? { call: "Bash", input: { command: `echo ${index}` } }
          : { call: "Task", input: { description: "d", prompt: "dig" } },
      ],
    }),
    {},
    { maxTokensTotal: 500 },
  );
  expect(await world.send("go")).toMatchObject({ end: "max-tokens", turns: 1 });
  const requests = world.api.requests.length;
  expect(await world.send("more")).toMatchObject({ end: "max-tokens", turns: 0 });
  expect(world.api.requests).toHaveLength(requests);
});
