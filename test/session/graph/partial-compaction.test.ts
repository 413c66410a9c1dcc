import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseRecords } from "../../../src/format/reader/record-reader.js";
import { outlineRecords } from "../../../src/session/open-session.js";
import { answer, attachment, prompt, type Row, session, system } from "../../builders/session-builder.js";
import { CORPUS } from "../../oracle/corpus-sessions.js";
import { replay, reportOf } from "../replay/replay-in-short.js";

const RECORDED = "2.1.326/interactive/projects/-home-dev-demo-app/c1f42ebc-7c25-4509-a27f-c31b44a38897.jsonl";
const TALK: readonly Row[] = [prompt("one"), answer("1"), prompt("two"), answer("2"), prompt("three"), answer("3")];

const summary = (more: Row = {}) => prompt("summary", { isCompactSummary: true, ...more });

function boundary(logicalParentUuid: string, anchorUuid: string, uuids: readonly string[]): Row {
  const compactMetadata = { trigger: "manual", preservedMessages: { anchorUuid, uuids, allUuids: uuids } };
  return system("compact_boundary", { parentUuid: null, logicalParentUuid, compactMetadata });
}

/** "Summarize from here" at the second prompt: the boundary names the last kept record. */
const FROM = [...TALK, boundary("u2", "u7", ["u1", "u2"]), summary(), prompt("on"), answer("4")];
/** "Summarize up to here" at the third prompt: the boundary names the last summarised record. */
const UP_TO = [...TALK, boundary("u4", "u8", ["u5", "u6"]), summary(), prompt("on"), answer("4")];

describe("a compaction of a part", () => {
  test("keeps what came before the chosen prompt, and puts the summary after it", () => {
    expect(replay(...FROM)).toEqual(["user: one", "assistant: 1", "user: summary | on", "assistant: 4"]);
  });

  test("keeps the chosen prompt and what came after it, behind the summary", () => {
    expect(replay(...UP_TO)).toEqual(["user: summary | three", "assistant: 3", "user: on", "assistant: 4"]);
  });

  test.each([
    ["from here", FROM],
    ["up to here", UP_TO],
  ])("%s makes history of what it summarised, and no rewound branch", (_, rows) => {
    const { deadBranches, turns } = outlineRecords(session(...rows));
    expect(deadBranches).toEqual([]);
    expect(turns.map(({ start }) => start.text)).toEqual(["one", "two", "three", "on"]);
    expect(reportOf(...rows)).toEqual([]);
  });

  test("keeps messages wherever they are in the file", () => {
    const elsewhere = [prompt("aside", { parentUuid: null }), answer("0")];
    const rows = [...elsewhere, ...TALK.map((row, at) => (at === 0 ? { ...row, parentUuid: null } : row))];
    const kept = boundary("u8", "u10", ["u1", "u2"]);
    expect(replay(...rows, kept, summary(), prompt("on"))).toEqual([
      "user: summary | aside",
      "assistant: 0",
      "user: on",
    ]);
    expect(outlineRecords(session(...rows, kept, summary(), prompt("on"))).deadBranches).toEqual([]);
  });

  test("ends where the kept messages name each other as parents", () => {
    const circle = [prompt("one"), prompt("two", { parentUuid: "u3" }), answer("2", { parentUuid: "u2" })];
    const rows = [...circle, boundary("u1", "u5", ["u2", "u3"]), summary(), prompt("on")];
    expect(replay(...rows)).toEqual(["user: summary | two", "assistant: 2", "user: on"]);
  });

  test("keeps an earlier summary before what it preserved", () => {
    const again = boundary("u6", "u11", ["u8", "u5", "u6"]);
    const rows = [...UP_TO, again, prompt("summary of on", { isCompactSummary: true }), prompt("next")];
    expect(replay(...rows)).toEqual(["user: summary | three", "assistant: 3", "user: summary of on | next"]);
    expect(outlineRecords(session(...rows)).deadBranches).toEqual([]);
  });

  test("sends all that follows its boundary where a fork wrote the kept messages and an earlier summary there", () => {
    const fork = [...TALK, system("compact_boundary", { parentUuid: null, logicalParentUuid: "u6" })];
    const rows = [
      ...fork,
      summary(),
      prompt("kept"),
      answer("5"),
      prompt("of on", { isCompactSummary: true }),
      prompt("next"),
    ];
    expect(replay(...rows)).toEqual(["user: summary | kept", "assistant: 5", "user: of on | next"]);
  });

  test("may have its summary twice, and attachments before it", () => {
    const rows = [...TALK, boundary("u6", "u9", ["u5", "u6"]), attachment("date"), summary(), summary(), prompt("on")];
    expect(replay(...rows)).toEqual(["user: summary | three", "assistant: 3", "user: summary | on"]);
    expect(outlineRecords(session(...rows)).compactions).toHaveLength(1);
  });

  test("counts a kept message that is not in the file", () => {
    const rows = [...TALK, boundary("u6", "u8", ["u5", "gone"]), summary(), prompt("on")];
    expect(reportOf(...rows)).toEqual(["missing-preserved 8"]);
  });

  test("has no rewound branch in a recording with one in each direction", () => {
    const text = readFileSync(join(CORPUS, RECORDED), "utf8");
    const first = `${text.split("\n").slice(0, 121).join("\n")}\n`;
    expect(outlineRecords(parseRecords(text)).deadBranches).toEqual([]);
    expect(outlineRecords(parseRecords(first)).deadBranches).toEqual([]);
  });
});
