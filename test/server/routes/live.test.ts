import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import type { LiveRow } from "../../../src/app/live/view-live.js";
import type { ServerEvent } from "../../../src/server/api/events.js";
import type { BudgetsAnswer, LiveAnswer, SpentAnswer } from "../../../src/server/api/live.js";
import { EventHub } from "../../../src/server/library/event-hub.js";
import { LiveWatch } from "../../../src/server/library/live-watch.js";
import { answer, call, type Draft, prompt, resultFor, writeLines } from "../../builders/session-builder.js";
import { tokenOf } from "../../cli/planted-library.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { liveProcess, register } from "../../library/running/live-process.js";
import { serveApp } from "../served-app.js";

const ID = "7c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e4f";

function library(drafts: readonly Draft[], startedAt = Date.now()): string {
  const from = Date.UTC(2026, 0, 1);
  const lines = writeLines(drafts).map((line) => {
    const record = JSON.parse(line);
    const timestamp = new Date(Date.parse(record.timestamp) - from + startedAt).toISOString();
    return JSON.stringify({ ...record, timestamp, cwd: "/home/dev/shop" });
  });
  return temporaryFolder({ [`projects/-home-dev-shop/${ID}.jsonl`]: `${lines.join("\n")}\n` });
}

const edit = (path: string) => ({ file_path: path, old_string: "a", new_string: "b" });

test("a session that waits for a person is told with its question, its files and the size of its context", async () => {
  const configDir = library([
    prompt("paint it"),
    call("t1", "Edit", edit("/home/dev/shop/src/cart.ts")),
    resultFor("t1", "ok"),
    call("t2", "AskUserQuestion", { questions: [{ question: `Which of ${tokenOf("prompt")}?`, options: [] }] }),
  ]);
  register(configDir, liveProcess(), { sessionId: ID, status: "waiting", waitingFor: "input needed" });
  const { json } = await serveApp({ configDir });
  const { sessions } = await json<LiveAnswer>("/api/live");
  expect(sessions).toMatchObject([
    { id: ID, title: "paint it", state: "waiting", needsYou: true, contextTokens: 3, files: { count: 1 } },
  ]);
  expect(sessions[0]?.files?.latest).toEqual(["src/cart.ts"]);
  expect(sessions[0]?.stateText).toMatch(/^waits for an answer: Which of \[REDACTED:/);
  expect(sessions[0]).not.toHaveProperty("path");
});

test("a session that is ready for its next prompt needs no one", async () => {
  const configDir = library([prompt("paint it"), answer("done")]);
  register(configDir, liveProcess(), { sessionId: ID, status: "idle" });
  const { json } = await serveApp({ configDir });
  const { sessions } = await json<LiveAnswer>("/api/live");
  expect(sessions).toMatchObject([{ needsYou: false, stateText: "waits for your next prompt", files: { count: 0 } }]);
});

test("what was spent is summed for today and since Monday", async () => {
  const { json } = await serveApp({ configDir: library([prompt("paint it"), answer("done")]) });
  const spent = await json<SpentAnswer>("/api/spent?timezone=UTC");
  const { today, week } = spent;
  expect(week).toMatchObject({ messages: 1, usage: { input: 3, output: 20 } });
  expect(week.knownCostUsd).toBeGreaterThan(0);
  expect(new Date(spent.weekStart).getUTCDay()).toBe(1);
  expect(today.messages).toBeLessThanOrEqual(week.messages);
});

test("nothing of an older session counts for this week", async () => {
  const { json } = await serveApp({ configDir: library([prompt("paint it"), answer("done")], 0) });
  expect(await json<SpentAnswer>("/api/spent")).toMatchObject({ today: { messages: 0 }, week: { messages: 0 } });
});

test("budgets are told with what is spent of them, the one of which most is spent first", async () => {
  const configDir = library([prompt("paint it"), answer("done")]);
  const { json, data } = await serveApp({ configDir });
  expect(await json<BudgetsAnswer>("/api/budgets")).toEqual({ budgets: [] });
  const budgets = [
    { usd: 1, per: "day" },
    { usd: 0.0001, per: "week", project: "shop", hard: true },
  ];
  writeFileSync(join(data, "config.json"), JSON.stringify({ budgets }));
  expect(await json<BudgetsAnswer>("/api/budgets?timezone=UTC")).toMatchObject({
    budgets: [
      { budget: "$0.0001 a week in shop", state: "reached", leftUsd: 0 },
      { budget: "$1.00 a day", state: "fine" },
    ],
  });
});

const WORKING = {
  id: ID,
  title: "paint it",
  state: "working",
  waitsFor: null,
  detail: null,
  totalCostUsd: 1,
} as LiveRow;
const ASKING: LiveRow = { ...WORKING, state: "waiting", waitsFor: "permission", detail: "Bash: npm test" };

test("while someone is connected, changes are published; afterwards nobody looks any more", async () => {
  const hub = new EventHub();
  const events: ServerEvent[] = [];
  hub.listen((event) => events.push(event));
  let looks = 0;
  const rows = () => (looks < 3 ? [WORKING] : [ASKING]);
  const view = {
    look() {
      looks += 1;
      return rows();
    },
    close() {},
  };
  const watch = new LiveWatch({ hub, open: async () => view, onProblem() {}, everyMs: 2 });
  onTestFinished(() => watch.close());
  const leave = watch.attend();
  await expect.poll(() => events.length).toBe(1);
  leave();
  const looked = looks;
  await sleep(20);
  expect(looks).toBeLessThanOrEqual(looked + 1);
  expect(events).toEqual([
    {
      kind: "live",
      news: [{ id: ID, title: "paint it", kind: "waiting", text: "waits for permission: Bash: npm test" }],
    },
  ]);
});
