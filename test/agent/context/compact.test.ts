import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { stringAt } from "../../../src/format/json.js";
import { makePlace, readRecorded, sentMessages, startChat } from "../chat-world.js";
import type { Reply } from "../mock-stream.js";
import type { SentRequest } from "../request-rules.js";

const isSumming = ({ system }: SentRequest) => JSON.stringify(system ?? []).includes("You sum up a conversation");

const SUMMARY = "# The numbers\n## What the person wants: counting\n## Where things stand: at three";

function playNumbers(request: SentRequest, index: number): Reply {
  if (isSumming(request)) return { blocks: [{ text: SUMMARY }] };
  const isTold = JSON.stringify(request.messages).includes("tell me");
  const command = `echo ${index}; seq 1 300`;
  return isTold || index > 12
    ? { blocks: [{ text: "Told." }] }
    : { blocks: [{ call: "Bash", input: { command } }], inputTokens: 1_000 + index * 500 };
}

test("the context is summed up before it is full, between results and the next answer, and the file says so", async () => {
  const world = await startChat(playNumbers, {}, { compactAt: 3_000 });
  expect(await world.send("count")).toMatchObject({ end: "done" });
  const { lines, session, problems, replay } = world.file;
  expect(session.compactions.length).toBeGreaterThan(0);
  expect(session.compactions[0]).toMatchObject({ trigger: "auto" });
  expect(lines.find(({ subtype }) => subtype === "compact_boundary")).toMatchObject({ parentUuid: null });
  expect(lines.find(({ type }) => type === "summary")).toMatchObject({ summary: "The numbers" });
  expect(session.totals.orphanToolCalls).toBe(0);
  expect(replay.messages[0]?.content[0]).toMatchObject({ type: "text" });
  expect(stringAt(replay.messages[0]?.content[0], "text")).toContain("The numbers");
  expect(problems).toEqual([]);
  expect(world.api.problems).toEqual([]);
});

test("a summary that is asked for is the beginning of what is sent next", async () => {
  const world = await startChat((request) =>
    isSumming(request) ? { blocks: [{ text: SUMMARY }] } : { blocks: [{ text: `Long. ${"x".repeat(4_000)}` }] },
  );
  await world.send("first");
  expect(await world.opened.chat.compact("keep the numbers", new AbortController().signal)).toBe(true);
  expect(JSON.stringify(world.api.requests.at(-1)?.messages)).toContain("keep the numbers");
  await world.send("second");
  expect(world.api.requests.at(-1)?.messages).toHaveLength(1);
  expect(readRecorded(world.file.path).session.compactions[0]).toMatchObject({ trigger: "manual" });
  expect(world.file.problems).toEqual([]);
});

test("before and after a summary the same is counted: system prompt and tools, too", async () => {
  const world = await startChat((request) =>
    isSumming(request)
      ? { blocks: [{ text: SUMMARY }] }
      : { blocks: [{ text: `Long. ${"x".repeat(8_000)}` }], inputTokens: 18_000 },
  );
  await world.send("first");
  await world.opened.chat.compact(undefined, new AbortController().signal);
  const [event] = world.events.filter(({ kind }) => kind === "compacted");
  expect(event).toMatchObject({ preTokens: expect.closeTo(18_000, -2), postTokens: expect.closeTo(16_100, -2) });
});

test("a summary that is no shorter is not taken", async () => {
  const world = await startChat((request) => ({
    blocks: [{ text: isSumming(request) ? "y".repeat(9_000) : "Short." }],
  }));
  await world.send("first");
  expect(await world.opened.chat.compact(undefined, new AbortController().signal)).toBe(false);
  expect(world.file.session.compactions).toEqual([]);
  expect(world.opened.spending.usage.input).toBe(200);
});

test("a picture is looked at, however many bytes it has", async () => {
  const place = makePlace();
  const header = Buffer.from("89504e470d0a1a0a0000000d4948445200000200000002000802000000", "hex");
  writeFileSync(join(place.project, "screen.png"), Buffer.concat([header, Buffer.alloc(800_000, 7)]));
  const script = [{ blocks: [{ call: "Read", input: { file_path: "screen.png" } }] }, { blocks: [{ text: "I see." }] }];
  const world = await startChat(script, { place });
  expect(await world.send("look")).toMatchObject({ end: "done", text: "I see." });
  expect(JSON.stringify(sentMessages(world.api).at(-1))).toContain("image/png");
});

test("when the API says that a request is too long, it is summed up and asked again", async () => {
  let isLong = true;
  const world = await startChat((request) => {
    if (isSumming(request)) {
      isLong = false;
      return { blocks: [{ text: SUMMARY }] };
    }
    return isLong && request.messages.length > 2
      ? {
          fault: "status",
          status: 400,
          type: "invalid_request_error",
          message: "prompt is too long: 250000 tokens > 200000 maximum",
        }
      : { blocks: [{ text: `Fine. ${"z".repeat(3_000)}` }] };
  });
  await world.send("one");
  expect(await world.send("two")).toMatchObject({ end: "done" });
  expect(world.file.session.compactions).toHaveLength(1);
  expect(world.file.problems).toEqual([]);
});

test("a request that is too long whatever is left away ends with what the API says", async () => {
  const fault = { fault: "status", status: 413, type: "request_too_large", message: "Request too large" } as const;
  const world = await startChat(() => fault);
  expect(await world.send("go")).toMatchObject({
    end: "api-error",
    error: { kind: "too-long", message: fault.message },
  });
  expect(world.api.requests.length).toBeLessThan(12);
  expect(world.file.problems).toEqual([]);
});

test("old results are left away first, when that is enough", async () => {
  const world = await startChat(
    (request, index) => {
      if (isSumming(request)) return { blocks: [{ text: SUMMARY }] };
      const command = `echo ${index}; seq 1 4000`;
      return index > 8
        ? { blocks: [{ text: "Enough." }] }
        : {
            blocks: [{ call: "Bash", input: { command } }],
            inputTokens: Math.ceil(JSON.stringify(request.messages).length / 4),
          };
    },
    {},
    { compactAt: 30_000 },
  );
  await world.send("go");
  expect(JSON.stringify(world.api.requests.at(-1)?.messages)).toContain("was removed to save space");
  expect(JSON.stringify(world.file.replay.messages)).not.toContain("was removed to save space");
  expect(world.api.problems).toEqual([]);
});
