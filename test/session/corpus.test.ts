import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readRecords } from "../../src/format/record-reader.js";
import type { Turn } from "../../src/session/build-turn.js";
import { describeSession } from "../../src/session/describe-session.js";
import { CORPUS, corpusSessions } from "../oracle/corpus-sessions.js";
import { expectedFacts } from "../oracle/expected-facts.js";

/** What `show` reports, in the shape of the oracle, which computed it in another way. */
function reportedFacts(file: string) {
  const { preamble, turns, compactions, branches, totals, session } = describeSession([...readRecords(file)]);
  const { costUsd: _cost, otherRecords: _other, unknownOutputs: _unknown, ...counts } = totals;
  return {
    project: session.project,
    gitBranch: session.gitBranch,
    versions: session.versions,
    models: session.models,
    preambleLocals: preamble.locals.map(({ prompt }) => prompt),
    turns: turns.map(turnFacts),
    compactions: compactions.map(({ trigger, preTokens }) => ({ trigger, preTokens })),
    branches: {
      active: branches.active,
      dead: branches.dead.map(({ leaf, turns: count }) => ({ leaf, turns: count })),
    },
    totals: counts,
  };
}

function turnFacts(turn: Turn) {
  return {
    kind: turn.kind,
    prompt: turn.prompt.trim(),
    uuid: turn.uuid,
    line: turn.line,
    messages: turn.messages.filter(({ author }) => author === "model").length,
    toolCalls: turn.toolCalls.map(({ id, status }) => ({ id, status })),
    interrupted: turn.interrupted,
    followUps: turn.followUps.length,
    locals: turn.locals.map(({ prompt }) => prompt),
  };
}

function oracleFacts(file: string) {
  const { session, subagents: _agents, ...facts } = expectedFacts(file);
  const { title: _title, titleSource: _source, ...header } = session;
  return { ...header, ...facts };
}

describe("every recorded session", () => {
  test.each(corpusSessions())("is understood as the oracle understands it: %s", (name) => {
    const file = join(CORPUS, name);
    expect(reportedFacts(file)).toEqual(oracleFacts(file));
  });
});
