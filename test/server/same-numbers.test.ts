import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { SessionSummary } from "../../src/library/load/session-summary.js";
import { formatCost } from "../../src/render/format-values.js";
import type { SessionsAnswer } from "../../src/server/api/list.js";
import type { SessionAnswer, TurnsAnswer } from "../../src/server/api/session.js";
import type { StatsAnswer } from "../../src/server/api/stats.js";
import { connectAgent, listed as itemsOf } from "../cli/mcp-client.js";
import { runCli } from "../cli/run-cli.js";
import { temporaryFolder } from "../format/temporary-folder.js";
import { CORPUS } from "../oracle/corpus-sessions.js";
import { costlyLibrary, FORK, OWNER } from "./costly-library.js";
import { serveApp } from "./served-app.js";

const RECORDED = [
  ...["2.0.50/print", "2.1.45/interactive2", "2.1.325/print", "2.1.326/forks"],
  ...["2.1.326/interactive", "2.1.326/background"],
];

/** What every surface that shows a session must tell alike. */
const SHARED = [
  ...["totalCostUsd", "subagentCostUsd", "rewoundCostUsd", "copiedCostUsd"],
  ...["turns", "messages", "toolCalls", "toolErrors", "copiedTurns"],
  ...["failedToolCalls", "deniedToolCalls", "interruptedToolCalls", "apiErrors"],
] as const;

type Shared = Record<(typeof SHARED)[number], number | null>;

function shared(numbers: Shared): Shared {
  return Object.fromEntries(SHARED.map((name) => [name, numbers[name]])) as Shared;
}

function commandLine(root: string) {
  const env = { TURNLOG_DATA_DIR: temporaryFolder() };
  const text = async (...args: string[]) => (await runCli([...args, "--config-dir", root], env)).stdout;
  return { env, text, json: async (...args: string[]) => JSON.parse(await text(...args, "--json")) };
}

const byId = (a: { readonly id: string }, b: { readonly id: string }) => (a.id < b.id ? -1 : 1);
const sum = (costs: readonly (number | null)[]) => costs.reduce<number>((total, cost) => total + (cost ?? 0), 0);

describe.each(RECORDED)("in %s", (name) => {
  const root = join(CORPUS, name);

  test("the costs of the list add up to those of the statistics, with and without an index", async () => {
    const cli = commandLine(root);
    const plain: SessionSummary[] = await cli.json("list", "--no-index");
    const counted = await cli.json("stats", "--no-index");
    await cli.text("index", "sync");
    const sessions: SessionSummary[] = await cli.json("list");
    expect(plain).toEqual(sessions);
    expect(sum(sessions.map(({ totalCostUsd }) => totalCostUsd))).toBeCloseTo(counted.totals.knownCostUsd, 8);
  });

  test("list, statistics, show and the web API tell the same of each session", async () => {
    const cli = commandLine(root);
    await cli.text("index", "sync");
    const sessions: SessionSummary[] = await cli.json("list");
    const expected = sessions.toSorted(byId).map(({ id, ...numbers }) => ({ id, ...shared(numbers) }));
    const { bySession } = await cli.json("stats", "--by", "session");
    const { json } = await serveApp({ configDir: root });
    const served = (await json<SessionsAnswer>("/api/sessions?limit=500")).sessions;
    const shown = await Promise.all(
      expected.map(async ({ id }) => ({ id, ...shared((await cli.json("show", id)).totals) })),
    );
    const opened = await Promise.all(
      expected.map(async ({ id }) => ({ id, ...shared((await json<SessionAnswer>(`/api/sessions/${id}`)).totals) })),
    );
    expect(served.toSorted(byId).map(({ id, ...numbers }) => ({ id, ...shared(numbers) }))).toEqual(expected);
    expect(shown).toEqual(expected);
    expect(opened).toEqual(expected);
    const costs = new Map(sessions.map(({ id, ...costs }) => [id, costs]));
    expect(bySession.map(partsOf)).toEqual(
      bySession.map(({ id }: { id: string }) => partsOf({ ...costs.get(id), costUsd: costs.get(id)?.totalCostUsd })),
    );
  });
});

function partsOf({ costUsd, subagentCostUsd, rewoundCostUsd }: Partial<Record<string, unknown>>) {
  const close = (cost: unknown) => (typeof cost === "number" ? Number(cost.toFixed(9)) : cost);
  return [costUsd, subagentCostUsd, rewoundCostUsd].map(close);
}

describe("a session with a sub-agent, a rewound branch and a fork", () => {
  const price = (tokens: number) => (tokens * 3 + tokens * 10 * 15) / 1e6;
  const owner = {
    totalCostUsd: expect.closeTo(price(900 + 100 + 200 + 300 + 5000), 9),
    subagentCostUsd: expect.closeTo(price(5000), 9),
    rewoundCostUsd: expect.closeTo(price(900), 9),
    copiedCostUsd: 0,
    ...{ turns: 2, messages: 5, toolCalls: 3, toolErrors: 2, copiedTurns: 0 },
    ...{ failedToolCalls: 1, deniedToolCalls: 1, interruptedToolCalls: 0, apiErrors: 1 },
  };
  const fork = {
    totalCostUsd: expect.closeTo(price(700), 9),
    subagentCostUsd: 0,
    rewoundCostUsd: 0,
    copiedCostUsd: expect.closeTo(price(900 + 100 + 200 + 300), 9),
    ...{ turns: 1, messages: 1, toolCalls: 0, toolErrors: 0, copiedTurns: 2 },
    ...{ failedToolCalls: 0, deniedToolCalls: 0, interruptedToolCalls: 0, apiErrors: 0 },
  };

  test.each([[[]], [["--no-index"]]])("is counted in list with %j", async (options) => {
    const { json } = commandLine(costlyLibrary());
    const sessions: SessionSummary[] = await json("list", ...options);
    expect(sessions.toSorted(byId).map((session) => ({ id: session.id, ...shared(session) }))).toEqual([
      { id: OWNER, ...owner },
      { id: FORK, ...fork },
    ]);
    expect(sessions.find(({ id }) => id === OWNER)?.costUsd).toBeCloseTo(price(900 + 100 + 200 + 300), 9);
  });

  test("is counted so in show before and after there is an index, and in MCP", async () => {
    const root = costlyLibrary();
    const { json, text } = commandLine(root);
    const costs = async () => [shared((await json("show", OWNER)).totals), shared((await json("show", FORK)).totals)];
    expect(await costs()).toEqual([owner, fork]);
    await text("index", "sync");
    expect(await costs()).toEqual([owner, fork]);
    const { call } = await connectAgent({ configDir: root });
    const listing = itemsOf([await call("list_sessions", {})], "sessions");
    expect(listing.map((item) => shared(item as Shared))).toEqual([fork, owner]);
    const outline = (await call("session_outline", { session: OWNER })).structured["session"];
    expect(shared(outline as Shared)).toEqual(owner);
  });

  test("says in every heading what it cost and how its calls ended", async () => {
    const { text } = commandLine(costlyLibrary());
    const cost = `${formatCost(price(6500))} (of it ${formatCost(price(5000))} in sub-agents; rewound: ${formatCost(price(900))})`;
    const calls = "3 tool calls (1 failed, 1 denied)";
    const pages = [
      await text("show", OWNER),
      await text("export", OWNER, "--format", "md"),
      await text("export", OWNER, "--format", "html"),
    ];
    expect(pages.filter((page) => page.includes(cost) && page.includes(calls) && page.includes("1 API error"))).toEqual(
      pages,
    );
  });

  test("has one price per turn in the session, its outline and Insights", async () => {
    const { json } = await serveApp({ configDir: costlyLibrary() });
    const { turns } = await json<SessionAnswer>(`/api/sessions/${OWNER}`);
    const read = await json<TurnsAnswer>(`/api/sessions/${OWNER}/turns`);
    const { dearestTurns, totals } = await json<StatsAnswer>("/api/stats");
    const prices = [price(300), price(300)].map((cost) => expect.closeTo(cost, 9));
    expect(turns.map(({ costUsd }) => costUsd)).toEqual(prices);
    expect(read.turns.map(({ costUsd }) => costUsd)).toEqual(prices);
    const ofOwner = dearestTurns.filter(({ sessionId }) => sessionId === OWNER).sort((a, b) => a.turn - b.turn);
    expect(ofOwner.map(({ costUsd }) => costUsd)).toEqual(prices);
    expect(totals).toMatchObject({
      costUsd: expect.closeTo(price(7200), 9),
      ...{ failedToolCalls: 1, deniedToolCalls: 1, interruptedToolCalls: 0, apiErrors: 1 },
    });
  });

  test("is the most expensive with its sub-agent", async () => {
    const { json } = await serveApp({ configDir: costlyLibrary() });
    const { sessions } = await json<SessionsAnswer>("/api/sessions?sort=cost");
    expect(sessions.map(({ id }) => id)).toEqual([OWNER, FORK]);
  });
});
