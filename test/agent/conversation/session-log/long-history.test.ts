import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readHistory } from "../../../../src/agent/conversation/session-log/history.js";
import {
  answer,
  compaction,
  type Draft,
  prompt,
  resultFor,
  toolUses,
  writeLines,
} from "../../../builders/session-builder.js";
import { makePlace } from "../../chat-world.js";

const LINE_BYTES = 10_000;
const turns = (count: number): Draft[] =>
  Array.from({ length: count }, (_, at) => [prompt(`ask ${at}`), answer(`${at} ${"x".repeat(LINE_BYTES)}`)]).flat();

function historyOf(drafts: readonly Draft[], maxBytes: number) {
  const path = join(makePlace().project, "session.jsonl");
  writeFileSync(path, `${writeLines(drafts).join("\n")}\n`);
  const { messages, recordsLeftOut, leaf } = readHistory(path, undefined, maxBytes);
  const texts = messages.map(({ content }) =>
    content.map((block) => String(block["text"]).replace(/x+$/, "x")).join(" | "),
  );
  return { messages, texts, recordsLeftOut, leaf };
}

test("a conversation that fits is gone on with as a whole", () => {
  const { texts, recordsLeftOut } = historyOf(turns(20), 1_000_000);
  expect(texts).toHaveLength(40);
  expect(recordsLeftOut).toBe(0);
});

test("of one that is too long for a request, the model is told its beginning and its last turns", () => {
  const { texts, messages, recordsLeftOut, leaf } = historyOf(turns(200), 400_000);
  expect(texts[0]).toBe("ask 0");
  expect(texts.at(-1)).toMatch(/^199 x/);
  expect(JSON.stringify(messages).length).toBeLessThan(400_000);
  expect(texts.filter((text) => text.includes(`${recordsLeftOut} records of this conversation`))).toHaveLength(1);
  expect(recordsLeftOut).toBeGreaterThan(300);
  expect(leaf).toBe(historyOf(turns(200), Number.POSITIVE_INFINITY).leaf);
});

test("its end begins with a prompt, and every result has its call", () => {
  const calls = Array.from({ length: 60 }, (_, at) => [
    prompt(`ask ${at}`),
    toolUses(`call-${at}`),
    resultFor(`call-${at}`, "r".repeat(LINE_BYTES)),
    answer(`done ${at}`),
  ]).flat();
  const { messages, texts } = historyOf(calls, 200_000);
  const ids = (type: string, key: string) =>
    messages.flatMap(({ content }) => content.filter((block) => block.type === type).map((block) => block[key]));
  expect(ids("tool_result", "tool_use_id")).toEqual(ids("tool_use", "id"));
  expect(texts.find((text) => text.includes("left out here"))).toMatch(/left out here[^|]*\| ask \d+$/);
});

test("what a compaction summed up does not count", () => {
  const { recordsLeftOut } = historyOf([...turns(100), compaction(), ...turns(5)], 200_000);
  expect(recordsLeftOut).toBe(0);
});
