import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readRecords } from "../../../src/format/reader/record-reader.js";
import { outlineRecords } from "../../../src/session/open-session.js";
import { toApiMessages } from "../../../src/session/replay/api-replay.js";
import { CORPUS, corpusSessions } from "../../oracle/corpus-sessions.js";
import { apiProblems } from "./api-rules.js";

describe("the replay of every recorded session", () => {
  test.each(corpusSessions())("is accepted by the API: %s", (name) => {
    const records = [...readRecords(join(CORPUS, name))];
    const { messages } = toApiMessages(records);
    const separate = toApiMessages(records, { systemRole: "separate" }).messages;
    const hasTalk =
      !outlineRecords(records).resumesEmpty && records.some(({ kind }) => kind === "user" || kind === "assistant");
    expect([...apiProblems(messages), ...apiProblems(separate)]).toEqual([]);
    expect(messages.length > 0).toBe(hasTalk);
  });
});
