import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../../runs.js";
import { makePlace, readRecorded, startChat } from "../chat-world.js";
import type { AnswerBlock, Fault, Reply } from "../mock-stream.js";

const call = fc.oneof(
  fc.record({ call: fc.constant("Read"), input: fc.record({ file_path: fc.constantFrom("a.txt", "none", ".") }) }),
  fc.record({ call: fc.constant("Glob"), input: fc.record({ pattern: fc.constantFrom("*", "**/x") }) }),
  fc.record({
    call: fc.constant("Write"),
    input: fc.record({ file_path: fc.constantFrom("a.txt", "b.txt"), content: fc.string({ unit: "grapheme" }) }),
  }),
  fc.record({ call: fc.constant("TodoWrite"), input: fc.anything().map((todos) => ({ todos })) }),
  fc.record({ call: fc.constantFrom("Nothing", "Bash"), input: fc.constant({}) }),
);
const block: fc.Arbitrary<AnswerBlock> = fc.oneof(
  fc.record({ text: fc.string({ unit: "grapheme" }) }),
  fc.record({ thinking: fc.string({ unit: "grapheme" }) }),
  call as fc.Arbitrary<AnswerBlock>,
);
const blocks = fc.array(block, { maxLength: 4 });
const reply: fc.Arbitrary<Reply> = fc.record(
  { blocks, stop: fc.constantFrom("max_tokens", "pause_turn", "refusal", "end_turn", "stop_sequence") },
  { requiredKeys: ["blocks"] },
);
const fault: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({ fault: fc.constantFrom("drop", "eof", "error-event"), blocks, half: block }),
  fc.record({
    fault: fc.constant("status"),
    status: fc.constantFrom(400, 429, 500, 529),
    retryAfter: fc.constant("0"),
  }),
) as fc.Arbitrary<Fault>;
const step = fc.oneof({ weight: 4, arbitrary: reply }, { weight: 1, arbitrary: fault });

/** What a model ends with is recorded as it is, though old clients cannot send it on. */
const OF_THE_MODEL = new Set(["thinking-last", "thinking-alone"]);

test("whatever a model answers and wherever it is interrupted, the file is sound and every request valid", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8 }), fc.nat(30), async (script, interruptAt) => {
      const controller = new AbortController();
      let events = 0;
      const play = (_: unknown, index: number) => script[index] ?? { blocks: [{ text: "The end." }] };
      const world = await startChat(play, {
        place: makePlace({ "a.txt": "alpha\n" }),
        attempts: 2,
        onEvent: () => {
          events += 1;
          if (events === interruptAt) controller.abort();
        },
      });
      await world.send("go", controller.signal);
      await world.send("again");
      const { path } = world.file;
      await world.opened.chat.close();
      const { problems, replay, session } = readRecorded(path);
      expect(problems.filter(({ code }) => !OF_THE_MODEL.has(code))).toEqual([]);
      expect(session.totals).toMatchObject({ orphanToolCalls: 0, orphanToolResults: 0, brokenLines: 0 });
      expect(replay.report.repaired).toEqual([]);
      expect(world.api.problems).toEqual([]);
    }),
    { ...runs(25), timeout: 60_000, interruptAfterTimeLimit: 20 * 60_000 },
  );
});
