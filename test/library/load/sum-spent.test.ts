import { join } from "node:path";
import { expect, test } from "vitest";
import { loadSession } from "../../../src/library/load/load-session.js";
import { sumSpent } from "../../../src/library/load/subagents.js";
import { answer, chain, prompt, type Row, toLines } from "../../builders/session-builder.js";
import { temporaryFolder } from "../../format/temporary-folder.js";

const SIDE: Row = { isSidechain: true, agentId: "a1" };
const OWN = [prompt("go"), answer("done")];
const AGENT = [prompt("look", { ...SIDE, parentUuid: null }), answer("seen", SIDE)];

function spentBy(files: Readonly<Record<string, string>>) {
  const path = join(temporaryFolder(files), "s.jsonl");
  const session = loadSession(path);
  const subagents = session.subagents();
  const { usage, costUsd } = sumSpent(path, session.outline.totals, subagents);
  return { output: usage.output, costUsd, agentOutputs: subagents.map(({ totals }) => totals.usage.output) };
}

test("a sub-agent in a file of its own is added to its session", () => {
  const files = { "s.jsonl": toLines(chain(...OWN)), "s/subagents/agent-a1.jsonl": toLines(chain(...AGENT)) };
  expect(spentBy(files)).toEqual({ output: 80, costUsd: null, agentOutputs: [40] });
});

test("a sub-agent inside the session file is not counted a second time", () => {
  expect(spentBy({ "s.jsonl": toLines(chain(...OWN, ...AGENT)) })).toEqual({
    output: 80,
    costUsd: null,
    agentOutputs: [40],
  });
});

test("costs add up where every price is known", () => {
  const priced = ({ message, ...row }: Row): Row => ({
    ...row,
    message: { ...(message as Row), model: "claude-sonnet-4-5" },
  });
  const files = {
    "s.jsonl": toLines(chain(...OWN.map(priced))),
    "s/subagents/agent-a1.jsonl": toLines(chain(...AGENT.map(priced))),
  };
  expect(spentBy(files).costUsd).toBeCloseTo(2 * (3 * 3e-6 + 40 * 15e-6), 10);
});
