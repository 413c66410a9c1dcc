import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseRecords, readRecords } from "../../../src/format/reader/record-reader.js";
import type { LogRecord } from "../../../src/format/record/record.js";
import { createDriftReport } from "../../../src/session/facts/drift.js";
import { assistant, chain, prompt, type Row, toLines } from "../../builders/session-builder.js";
import { CORPUS, corpusSessions } from "../../oracle/corpus-sessions.js";
import { runs } from "../../runs.js";
import { hostileRows } from "../hostile-rows.js";

function driftOf(records: Iterable<LogRecord>) {
  const report = createDriftReport();
  for (const record of records) report.add(record);
  return report.view();
}

const driftOfRows = (...rows: readonly Row[]) => driftOf(parseRecords(toLines(rows))).drifts;

const recorded = corpusSessions().filter((name) => !name.startsWith("handwritten/"));

describe("the drift report", () => {
  test.each(recorded)("knows everything that real clients wrote: %s", (name) => {
    expect(driftOf(readRecords(join(CORPUS, name)))).toEqual({ drifts: [], unlisted: 0 });
  });

  test.each<[string, Row, Row]>([
    ["type", { type: "hologram" }, { kind: "type", name: "hologram" }],
    ["field", prompt("x", { mood: "good" }), { kind: "field", name: "mood", within: "user" }],
    [
      "message field",
      { type: "user", message: { content: "x", tone: 1 } },
      { kind: "messageField", name: "tone", within: "user" },
    ],
    ["block type", prompt([{ type: "smell" }]), { kind: "blockType", name: "smell", within: "user" }],
    ["block field", prompt([{ type: "text", text: "x", _id: 1 }]), { kind: "blockField", name: "_id", within: "text" }],
    [
      "usage field",
      { type: "assistant", message: { usage: { input_tokens: 1, cache_creation: { ephemeral_9d: 1 } } } },
      { kind: "usageField", name: "cache_creation.ephemeral_9d", within: "assistant" },
    ],
    ["stop reason", assistant("m", [], { stopReason: "bored" }), { kind: "stopReason", name: "bored" }],
    ["system subtype", { type: "system", subtype: "weather" }, { kind: "systemSubtype", name: "weather" }],
    [
      "attachment type",
      { type: "attachment", attachment: { type: "scent" } },
      { kind: "attachmentType", name: "scent" },
    ],
    [
      "value",
      prompt("x", { origin: { kind: "oracle" } }),
      { kind: "value", name: "origin.kind oracle", within: "user" },
    ],
    ["progress type", { type: "progress", data: { type: "nap" } }, { kind: "progressType", name: "nap" }],
  ])("names an unknown %s", (_, row, expected) => {
    expect(driftOfRows(row)).toMatchObject([{ ...expected, count: 1, line: 1 }]);
  });

  test.each([
    "agent-color",
    "agent-setting",
    "ended-by-model",
    "frame-link",
    "bridge-session",
    "isolation-latch",
    "attribution-snapshot",
    "content-replacement",
    "history-suppression",
    "artifact-comment-monitor",
    "artifact-autoreact-ledger",
    "observer-ref",
    "memory-mode",
    "dev-mods",
    "session-owner",
    "repl-mode",
    "data-flow-records",
    "data-flow-incomplete",
    "derived-from",
    "resume-head-vouch",
    "marble-origami-commit",
  ])("knows the side record %s of 2.1.326", (type) => {
    expect(driftOfRows({ type, sessionId: "s" })).toEqual([]);
  });

  test("counts a name, and keeps the first version and line that had it", () => {
    const rows = chain(
      prompt("a", { version: "2.1.400" }),
      prompt("b", { version: "2.1.401", mood: 1 }),
      prompt("c", { version: "2.1.402", mood: 2 }),
    );
    expect(driftOfRows(...rows)).toEqual([
      { kind: "field", name: "mood", within: "user", count: 2, firstVersion: "2.1.401", line: 2 },
    ]);
  });

  test("takes the version of a side record from the records before it", () => {
    expect(driftOfRows(...chain(prompt("a")), { type: "mode", colour: 1 })).toMatchObject([
      { name: "colour", within: "mode", firstVersion: "2.1.325" },
    ]);
  });

  test("lists a thousand names and counts the rest", () => {
    const fields = Object.fromEntries(Array.from({ length: 1500 }, (_, index) => [`f${index}`, 1]));
    const { drifts, unlisted } = driftOf(parseRecords(toLines([prompt("x", fields)])));
    expect([drifts.length, unlisted]).toEqual([1000, 500]);
  });

  test("never fails", () => {
    fc.assert(
      fc.property(hostileRows, (rows) => {
        expect(driftOf(parseRecords(toLines(rows))).unlisted).toBe(0);
      }),
      runs(200),
    );
  });
});
