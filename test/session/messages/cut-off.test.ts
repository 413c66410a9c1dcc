import { join } from "node:path";
import { expect, test } from "vitest";
import { readRecords } from "../../../src/format/reader/record-reader.js";
import { describeSession } from "../../../src/session/describe-session.js";
import { answer, prompt, type Row, session } from "../../builders/session-builder.js";
import { CORPUS } from "../../oracle/corpus-sessions.js";

const RECORDED = "2.1.326/print/projects/-home-dev-mid-app/7d7d7d7d-1111-4222-8333-444455556666.jsonl";
const NOTE = prompt("Your response above was cut off mid-stream. Resume.", { isMeta: true, turnCompanion: true });

test("an answer that the network cut off has unknown output, whatever its stop reason says", () => {
  const { turns, totals } = describeSession([...readRecords(join(CORPUS, RECORDED))]);
  const messages = turns.flatMap((turn) => turn.messages);
  expect(messages.map(({ isCut, outputKnown }) => [isCut, outputKnown])).toEqual([
    [true, false],
    [true, false],
    [false, true],
  ]);
  expect(totals.unknownOutputs).toBe(2);
});

test.each<[string, readonly Row[]]>([
  ["one without stop details that no note follows", [answer("a"), prompt("on")]],
  [
    "one with stop details",
    [{ ...answer("a"), message: { ...(answer("a")["message"] as Row), stop_details: null } }, NOTE],
  ],
  ["one before another note of Claude Code", [answer("a"), { ...NOTE, message: { content: "Output limit." } }]],
])("an answer is not cut off: %s", (_, rows) => {
  const { turns, totals } = describeSession(session(prompt("go"), ...rows));
  expect(turns[0]?.messages.map(({ isCut }) => isCut)).toEqual([false]);
  expect(totals.unknownOutputs).toBe(0);
});
