import { expect, test } from "vitest";
import { gatherMessages } from "../../../src/library/entries/ledger.js";
import { type Block, computeBlocks } from "../../../src/library/stats/blocks.js";
import { emptyUsage } from "../../../src/session/messages/usage.js";

/** Messages of 100 output tokens each, at these times of one day. */
function messagesAt(...clocks: readonly string[]) {
  const figures = clocks.map((clock) => ({
    time: Date.parse(`2026-05-01T${clock}:00Z`),
    model: "claude-opus-4-5",
    speed: null,
    gitBranch: null,
    part: "active" as const,
    usage: { ...emptyUsage(), output: 100 },
    isOutputKnown: true,
  }));
  return gatherMessages(figures);
}

const later = Date.parse("2026-06-01T00:00:00Z");
const outline = (blocks: readonly Block[]) =>
  blocks.map((block) => `${block.kind} ${block.startAt.slice(8, 16)} ${block.endAt.slice(8, 16)}`);

test("a block starts at the full hour of its first message and has five hours", () => {
  const blocks = computeBlocks(messagesAt("08:40", "12:59", "13:00"), later);
  expect(outline(blocks)).toEqual(["used 01T08:00 01T13:00", "used 01T13:00 01T18:00"]);
  expect(blocks.map((block) => (block.kind === "used" ? block.messages : 0))).toEqual([2, 1]);
});

test("a pause of more than five hours is shown between two blocks", () => {
  expect(outline(computeBlocks(messagesAt("01:10", "09:30"), later))).toEqual([
    "used 01T01:00 01T06:00",
    "gap 01T06:00 01T09:00",
    "used 01T09:00 01T14:00",
  ]);
});

test("the block of now tells its rate and where it leads", () => {
  const now = Date.parse("2026-05-01T10:00:00Z");
  const [block] = computeBlocks(messagesAt("08:00", "09:00", "10:00"), now);
  expect(block).toMatchObject({
    isActive: true,
    costUsd: 0.0075,
    burnRate: { tokensPerMinute: 2.5, costPerHour: 0.00375 },
    projection: { remainingMinutes: 180, tokens: 750, costUsd: 0.01875 },
  });
});

test("a block that is over leads nowhere", () => {
  const [block] = computeBlocks(messagesAt("08:00", "09:00"), later);
  expect(block).toMatchObject({ isActive: false, projection: null });
});

test("a single moment tells no rate", () => {
  const [block] = computeBlocks(messagesAt("08:00"), Date.parse("2026-05-01T08:01:00Z"));
  expect(block).toMatchObject({ isActive: true, burnRate: null, projection: null });
});
