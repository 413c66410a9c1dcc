import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readRecords } from "../../../src/format/reader/record-reader.js";
import { describeSession } from "../../../src/session/describe-session.js";
import { outlineRecords } from "../../../src/session/open-session.js";
import { toApiMessages } from "../../../src/session/replay/api-replay.js";
import { answer, prompt, type Row, session, system } from "../../builders/session-builder.js";
import { CORPUS } from "../../oracle/corpus-sessions.js";

/** What 2.1.326 sends for the hand-made files. */
const SENT: readonly (readonly [string, readonly string[]])[] = [
  ["a0000002", ["First prompt", "Answer one", "Second prompt stored anew", "Answer two"]],
  ["a0000003", []],
  ["a0000004", ["First prompt", "Answer one"]],
  ["a0000005", ["First prompt", "Answer one"]],
  ["a0000006", ["First prompt", "Answer one"]],
  ["a0000007", ["First prompt", "Answer one", "Second prompt", "Answer two"]],
  ["a0000008", ["First prompt", "Answer one", "Second prompt", "Answer two", "Third prompt after the checkpoint"]],
  ["a0000009", ["First prompt", "Answer one", "Second prompt", "Answer two", "Third prompt after the checkpoint"]],
];

const textsOf = (records: Parameters<typeof toApiMessages>[0]) =>
  toApiMessages(records).messages.flatMap(({ content }) => content.map(({ text }) => text));

describe("the end of a conversation", () => {
  test.each(SENT)("is where Claude Code resumes %s", (name, texts) => {
    const file = `${name}-0000-4000-8000-00000000000${name.at(-1)}.jsonl`;
    expect(textsOf([...readRecords(join(CORPUS, "handwritten-326", file))])).toEqual(texts);
  });

  const talk: readonly Row[] = [prompt("one"), answer("1"), prompt("two"), answer("2")];
  const lastPrompt = (fields: Row): Row => ({ type: "last-prompt", uuid: undefined, ...fields });

  test("is the newest record below a hint that is not explicit", () => {
    expect(textsOf(session(...talk, lastPrompt({ leafUuid: "u2" })))).toEqual(["one", "1", "two", "2"]);
  });

  test("is not moved by a hint that any record of the conversation follows", () => {
    const after = system("informational", { content: "note", parentUuid: "u4" });
    const records = session(...talk, lastPrompt({ leafUuid: null, explicit: true }), after);
    expect(outlineRecords(records).resumesEmpty).toBe(false);
    expect(textsOf(records)).toEqual(["one", "1", "two", "2"]);
  });

  test("is not moved by the zeros that a rewind in a terminal writes", () => {
    const zeros = lastPrompt({ leafUuid: "00000000-0000-0000-0000-000000000000", explicit: true });
    expect(textsOf(session(...talk, zeros))).toEqual(["one", "1", "two", "2"]);
  });

  test("is nowhere where a rewind left nothing: the turns are on a rewound branch, and name the session", () => {
    const { session: header, ...rest } = describeSession(
      session(...talk, lastPrompt({ leafUuid: null, explicit: true })),
    );
    expect(header).toMatchObject({ resumesEmpty: true, title: "one" });
    expect(rest).toMatchObject({ turns: [], branches: { active: null, dead: [{ leaf: "u4", turns: 2 }] } });
  });
});
