import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Turn } from "../../../../src/session/turns/build-turn.js";
import { CORPUS, corpusSessions } from "../../../oracle/corpus-sessions.js";
import { expectedFacts } from "../../../oracle/expected-facts.js";
import { runCli } from "../../run-cli.js";

/** What `show --json` reports, in the shape of the oracle, which computed it in another way. */
async function reportedFacts(file: string) {
  const { stdout } = await runCli(["show", file, "--json"]);
  const { session, preamble, turns, compactions, subagents, branches, totals } = JSON.parse(stdout);
  const { project, gitBranch, title, titleSource, versions, models } = session;
  const { otherRecords: _other, unknownOutputs: _unknown, totalUsage: _usage, ...rest } = totals;
  const { conversation, copiedTurns: _copied, ...counts } = { ...rest, ...rest.conversation };
  return {
    session: { project, gitBranch, title, titleSource, versions, models },
    preambleLocals: preamble.locals.map(({ prompt }: { prompt: string }) => prompt),
    turns: turns.map(turnFacts),
    compactions: compactions.map(({ trigger, preTokens }: Record<string, unknown>) => ({ trigger, preTokens })),
    subagents: subagents
      .map(({ agentId, toolUseId, warmup }: Record<string, unknown>) => ({ agentId, toolUseId, warmup }))
      .sort((a: { agentId: string }, b: { agentId: string }) => (a.agentId < b.agentId ? -1 : 1)),
    branches: {
      active: branches.active,
      dead: branches.dead.map(({ leaf, turns: count }: Record<string, unknown>) => ({ leaf, turns: count })),
    },
    totals: withoutCosts({ ...counts, ...conversation }),
  };
}

/** The oracle knows no prices, and the ends of calls only by turn. */
const UNKNOWN_TO_ORACLE = /cost|(failed|denied|interrupted)ToolCalls/i;

function withoutCosts(totals: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(totals).filter(([name]) => !UNKNOWN_TO_ORACLE.test(name)));
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

describe("show --json", () => {
  test.each(corpusSessions())("says what the oracle says of %s", async (name) => {
    const file = join(CORPUS, name);
    expect(await reportedFacts(file)).toEqual(expectedFacts(file));
  });
});
