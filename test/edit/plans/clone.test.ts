import { describe, expect, test } from "vitest";
import { planClone } from "../../../src/edit/plans/clone-and-fork.js";
import type { EditSource } from "../../../src/edit/plans/edit-source.js";
import { corpusBytes } from "../../builders/corpus-bytes.js";
import { answer, chain, prompt, toLines, uuidOf } from "../../builders/session-builder.js";
import { corpusSessions } from "../../oracle/corpus-sessions.js";
import { edit, meaningOf, NEW_ID, readEdited, SOURCE_ID } from "../edited-session.js";

const clone = (source: EditSource) => planClone(source, { id: NEW_ID });

describe("a clone", () => {
  test("keeps how a line is written, but for its ids", () => {
    const line = `  {"uuid":"a", "big":12345678901234567890,"n":1.50,"half":"\\ud83d","x":1,"x":2,"parentUuid":null,"type":"user","message":{"role":"user","content":"a"}}\r\n`;
    const { text } = edit(line, clone);
    const uuid = /"uuid":"([^"]+)"/.exec(text)?.[1] ?? "";
    const origin = `,"forkedFrom":{"sessionId":"${SOURCE_ID}","messageUuid":"a"}`;
    expect(text).toBe(line.replace('"uuid":"a"', `"uuid":"${uuid}"`).replace('"a"}}', `"a"}${origin}}`));
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  test("gives new ids to everything that names a record, and leaves what the API counts by", () => {
    const [one, two] = [uuidOf(1), uuidOf(2)];
    const preserved = { headUuid: one, anchorUuid: two, tailUuid: one };
    const rows = [
      ...chain(prompt("hello"), {
        ...answer("hi"),
        requestId: "req_1",
        sourceToolAssistantUUID: one,
        logicalParentUuid: one,
        compactMetadata: {
          preservedSegment: preserved,
          preservedMessages: { anchorUuid: two, uuids: [one], allUuids: [one] },
        },
        summarizedTurnPromptUuids: [one],
        attachment: { source_uuid: one },
      }),
      { type: "last-prompt", leafUuid: two, sessionId: SOURCE_ID },
      { type: "summary", summary: one, leafUuid: two },
      { type: "file-history-snapshot", messageId: one, snapshot: { messageId: one, trackedFileBackups: {} } },
      { type: "file-history-delta", messageId: two, snapshotMessageId: one },
      { type: "queue-operation", operation: "enqueue", content: one, sessionId: SOURCE_ID },
      { type: "from-the-future", nested: [{ anyUuid: two, note: one }], session_id: SOURCE_ID },
    ];
    const { text, rows: written } = edit(toLines(rows), clone);
    const origins = text.match(/"messageUuid":"[^"]+"/g) ?? [];
    expect(text.split(one).length - 1 - origins.filter((origin) => origin.includes(one)).length).toBe(3); // three texts
    expect(text.split(two).length - 1).toBe(1); // its origin
    expect(text).not.toContain(`"sessionId":"${SOURCE_ID}"}\n`);
    expect(written[1]).toMatchObject({ requestId: "req_1", parentUuid: written[0]?.["uuid"] });
    expect(written[7]).toMatchObject({ session_id: NEW_ID });
  });

  test("gives a record one new id where it was stored under another than it was sent", () => {
    const rows = chain(
      prompt("stored anew", { sentAsUuid: "sent" }),
      { ...answer("hi"), parentUuid: "sent" },
      { type: "last-prompt", leafUuid: "sent", uuid: undefined },
    );
    const { rows: written } = edit(toLines(rows), clone);
    const [uuid] = written.map((row) => row["uuid"]);
    expect(written).toMatchObject([{ sentAsUuid: uuid }, { parentUuid: uuid }, { leafUuid: uuid }]);
  });

  test("leads to spilled output in its own folder, and leaves other mentions of the path", () => {
    const path = `/x/projects/p/${SOURCE_ID}/tool-results/b1.txt`;
    const spilled = `<persisted-output>\nOutput too large (9KB). Full output saved to: ${path}\n\nPreview`;
    const rows = chain(
      prompt(`look at ${path}`),
      prompt([{ type: "tool_result", tool_use_id: "t", content: spilled }], {
        toolUseResult: { persistedOutputPath: path },
      }),
    );
    const { rows: written } = edit(toLines(rows), clone);
    expect(JSON.stringify(written[0])).toContain(path);
    expect(JSON.stringify(written[1]).split(`/x/projects/p/${NEW_ID}/tool-results/b1.txt`)).toHaveLength(3);
  });

  test("keeps what cannot be read, and ends with a newline", () => {
    const good = toLines(chain(prompt("hello")));
    const { text } = edit(`\ufeff${good}not json\n\n{"type":"us`, clone);
    expect(text.startsWith("\ufeff{")).toBe(true);
    expect(text.endsWith('not json\n\n{"type":"us\n')).toBe(true);
  });

  test.each(corpusSessions())("of %s means the same and sends the same", (path) => {
    const bytes = corpusBytes(path);
    const [copy, source] = [edit(bytes, clone), readEdited(bytes)];
    expect(meaningOf(copy.session)).toEqual(meaningOf(source.session));
    expect(copy.replay.messages).toEqual(source.replay.messages);
  });
});
