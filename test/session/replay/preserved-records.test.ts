import { expect, test } from "vitest";
import { openSession } from "../../../src/session/open-session.js";
import { findPreservedRecords } from "../../../src/session/replay/select-replay.js";
import {
  assistant,
  attachment,
  callBlock,
  prompt,
  type Row,
  resultBlock,
  session,
  system,
  textBlock,
} from "../../builders/session-builder.js";

function keptBy(compactMetadata: Row) {
  const opened = openSession();
  const lines = [
    prompt("go"),
    assistant("m1", [textBlock("looking")]),
    assistant("m1", [callBlock("c1")]),
    prompt([resultBlock("c1")]),
    attachment("environment"),
    prompt("and now"),
    system("compact_boundary", { parentUuid: null, logicalParentUuid: "u6", compactMetadata }),
    prompt("summary", { isCompactSummary: true }),
    assistant("m2", [textBlock("done")]),
  ];
  for (const record of session(...lines)) opened.push(record);
  const { lines: kept, byCompaction } = findPreservedRecords(opened.view());
  return { lines: [...kept], ...byCompaction.get(7) };
}

test("records of one message, and the result of its call, are one kept message", () => {
  const uuids = ["u2", "u3", "u4", "u5", "u6"];
  expect(keptBy({ preservedMessages: { uuids } })).toEqual({
    lines: [2, 3, 4, 5, 6],
    keptMessages: 2,
    keptTurns: [1, 2],
  });
});

test("where only the ends are named, all between them is kept", () => {
  expect(keptBy({ preservedSegment: { headUuid: "u3", tailUuid: "u6" } })).toEqual({
    lines: [3, 4, 5, 6],
    keptMessages: 2,
    keptTurns: [1, 2],
  });
});

test("a compaction that names nothing, or nothing of the branch, keeps nothing", () => {
  expect(keptBy({ trigger: "auto" })).toEqual({ lines: [], keptMessages: 0, keptTurns: null });
  expect(keptBy({ preservedMessages: { uuids: ["gone"] } })).toEqual({ lines: [], keptMessages: 0, keptTurns: null });
});
