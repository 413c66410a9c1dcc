import { describe, expect, test } from "vitest";
import { parseRecords } from "../../../src/format/reader/record-reader.js";
import { personsWordsIn, personsWordsOf } from "../../../src/format/record/persons-words.js";
import type { UserRecord } from "../../../src/format/record/record.js";
import { prompt, type Row, resultBlock, textBlock, writeLines } from "../../builders/session-builder.js";

const REFUSED =
  "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\n";
const byUser = { permissionDecision: { decision: "accept", source: "user_temporary", grantScope: "once" } };
const bySettings = { permissionDecision: { decision: "accept", source: "config", reasonType: "mode" } };

function parse(content: readonly Row[], more: Row = {}): UserRecord {
  const [record] = parseRecords(writeLines([prompt(content, more)]).join("\n"));
  return record as UserRecord;
}

const wordsIn = (content: readonly Row[], more: Row = {}) =>
  personsWordsIn(parse(content, more)).map(({ toolUseId, kind, text }) => `${toolUseId} ${kind}: ${text}`);
const failed = { is_error: true };

describe("feedback at a permission prompt", () => {
  test.each<[string, readonly Row[], Row, readonly string[]]>([
    ["in its own field", [resultBlock("a", "no", failed)], { userFeedback: "use trash" }, ["a feedback: use trash"]],
    ["in the text alone", [resultBlock("a", `${REFUSED}use\ntrash`, failed)], {}, ["a feedback: use\ntrash"]],
    ["quoted by a program", [resultBlock("a", `${REFUSED}use trash`)], {}, []],
    ["beside an approved call", [resultBlock("a", "ok"), textBlock("be brief")], byUser, ["a feedback: be brief"]],
    ["beside a call that a rule allowed", [resultBlock("a", "ok"), textBlock("be brief")], bySettings, []],
    [
      "beside an interrupted call",
      [resultBlock("a", "x", failed), textBlock("be brief")],
      {},
      ["a feedback: be brief"],
    ],
    ["beside a failed call that a rule allowed", [resultBlock("a", "x", failed), textBlock("b")], bySettings, []],
    ["a reminder beside it", [resultBlock("a", "ok"), textBlock("<system-reminder>x</system-reminder>")], byUser, []],
    ["marked, without a field", [resultBlock("a", "do it so")], { holdsPersonsWords: true }, ["a feedback: do it so"]],
    [
      "of one of several results",
      [resultBlock("a", "ok"), resultBlock("b", `${REFUSED}stop`, failed)],
      { userFeedback: "stop" },
      ["b feedback: stop"],
    ],
  ])("%s", (_where, content, more, expected) => {
    expect(wordsIn(content, more)).toEqual(expected);
  });
});

describe("answers", () => {
  const questions = [{ question: "Which color?", options: [] }];
  const noted = (answers: object, annotations = {}) => ({ toolUseResult: { questions, answers, annotations } });
  test.each<[string, Row, readonly string[]]>([
    ["one", noted({ "Which color?": "Red" }), ["q answer: Red"]],
    ["several choices", noted({ "Which color?": ["Red", "Blue"] }), ["q answer: Red, Blue"]],
    [
      "with a note",
      noted({ "Which color?": "Red" }, { "Which color?": { notes: "as bricks" } }),
      ["q answer: Red\nas bricks"],
    ],
    ["to two questions", noted({ "Which color?": "Red", "How much?": "All" }), ["q answer: Red", "q answer: All"]],
    ["none", noted({}), []],
    ["of another tool", { toolUseResult: { answers: { a: "b" } } }, []],
  ])("%s", (_which, more, expected) => {
    expect(wordsIn([resultBlock("q", "Answered.")], more)).toEqual(expected);
  });

  test("are read from the text where Claude Code noted none", () => {
    const text = 'User has answered your questions: "Which color?"="Red". You can now continue.';
    expect(wordsIn([resultBlock("q", text)])).toEqual(['q answer: "Which color?"="Red". You can now continue.']);
    expect(wordsIn([resultBlock("q", text, failed)])).toEqual([]);
  });
});

describe("approved plans", () => {
  const noted = { toolUseResult: { plan: "1. Do A", isAgent: false } };
  const planned = { name: "ExitPlanMode", input: { plan: "1. Do B" } };
  const said = (text: string, more: Row, call = planned) => {
    const record = parse([resultBlock("p", text, more["isError"] ? failed : {})], more);
    const [result] = record.blocks.filter((block) => block.kind === "toolResult");
    return personsWordsOf(call, record, result as NonNullable<typeof result>).map(({ text: words }) => words);
  };

  test("the approved plan counts, not the one that was proposed", () => {
    expect(said("User has approved your plan.", noted)).toEqual(["1. Do A"]);
    const shown = "User has approved your plan.\n## Approved Plan (edited by user):\n1. Do C";
    expect(said(shown, {})).toEqual(["1. Do C"]);
  });

  test("without a copy in the result the proposed plan was approved", () => {
    expect(said("User has approved exiting plan mode.", { toolUseResult: { plan: null, isAgent: false } })).toEqual([
      "1. Do B",
    ]);
  });

  test("a refused plan and one that waits for a team's lead are nobody's words", () => {
    expect(said("No.", { ...noted, isError: true })).toEqual([]);
    expect(said("Submitted.", { toolUseResult: { plan: "x", isAgent: true, awaitingLeaderApproval: true } })).toEqual(
      [],
    );
  });

  test("a plan of another tool is nobody's words", () => {
    expect(said("done", {}, { name: "Plan", input: { plan: "1. Do B" } })).toEqual([]);
  });
});
