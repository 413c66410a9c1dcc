import { appendFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { setBudget } from "../../../src/app/budget/budget-settings.js";
import { type BudgetEvent, checkBudgets } from "../../../src/app/budget/check-budgets.js";
import { grantPass } from "../../../src/app/budget/pass-once.js";
import { refreshBudgets } from "../../../src/app/budget/view-budgets.js";
import { type Budget, parseAmount } from "../../../src/library/budget/budget.js";
import { answer, type Row, writeLines } from "../../builders/session-builder.js";
import { captureWorld } from "../../cli/run-cli.js";
import { temporaryFolder } from "../../format/temporary-folder.js";

const SHOP = "/home/dev/shop";
const DOCS = "/home/dev/docs";
let ids = 0;

/** A library in which sessions spend whole dollars today. */
class World {
  readonly root = temporaryFolder();
  readonly data = temporaryFolder();
  readonly #io = captureWorld({ CLAUDE_CONFIG_DIR: this.root, TURNLOG_DATA_DIR: this.data }).io;

  budget(amount: string, more: Partial<Budget> = {}) {
    const budget = { project: null, warnAt: 0.8, isHard: false, ...parseAmount(amount), ...more };
    return setBudget(budget, this.#io);
  }

  /** Appends messages of a dollar each to a session, or to a sub-agent of it. */
  spend(session: string, dollars: number, { project = SHOP, agent = "", model = "claude-opus-4-5" } = {}): Row[] {
    const rows = Array.from({ length: dollars }, () => message(`msg-${++ids}`, model));
    this.write(
      agent === "" ? this.path(session) : this.path(session).replace(/\.jsonl$/, `/subagents/agent-${agent}.jsonl`),
      rows,
      project,
    );
    return rows;
  }

  write(path: string, rows: readonly Row[], project = SHOP): void {
    mkdirSync(dirname(path), { recursive: true });
    const lines = writeLines(rows).map((line) => {
      const uuid = `u-${++ids}`;
      return `${JSON.stringify({ ...JSON.parse(line), uuid, cwd: project, timestamp: new Date().toISOString() })}\n`;
    });
    appendFileSync(path, lines.join(""));
  }

  path(session: string): string {
    return join(this.root, "projects", "-p", `${session}.jsonl`);
  }

  refresh() {
    return refreshBudgets({}, this.#io);
  }

  ask(session: string, kind: BudgetEvent["kind"] = "prompt", cwd = SHOP, start: () => void = () => undefined) {
    const event = { kind, session, transcript: this.path(session), cwd };
    return checkBudgets(event, this.#io, { start, patienceMs: 200 });
  }

  async answersOf(...questions: readonly Parameters<World["ask"]>[]) {
    const kinds: string[] = [];
    for (const question of questions) kinds.push((await this.ask(...question)).kind);
    return kinds;
  }

  sumFile(): string {
    return join(this.data, readdirSync(this.data).find((name) => /^spent-.*\.db$/.test(name)) ?? "none");
  }
}

/** At the price of Opus 4.5: 25 USD a million. */
function message(id: string, model: string): Row {
  const row = answer("done");
  const usage = { input_tokens: 0, output_tokens: 40_000 };
  return { ...row, message: { ...(row["message"] as Row), id, model, usage } };
}

/** The second comes first by its path. */
const [ONE, TWO] = ["10000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"];

test("without budgets nothing is said, and nothing is read", async () => {
  const world = new World();
  world.spend(ONE, 3);
  expect(await world.ask(ONE)).toEqual({ kind: "silent", text: "" });
  expect(readdirSync(world.data)).toEqual([]);
});

test("a soft budget warns a session once at its share, and with each prompt when it is spent", async () => {
  const world = new World();
  await world.budget("5/day");
  await world.refresh();
  world.spend(ONE, 3);
  expect(await world.ask(ONE)).toEqual({ kind: "silent", text: "" });
  world.spend(ONE, 1);
  expect(await world.ask(ONE, "tool")).toEqual({
    kind: "tell",
    text: "turnlog: $4.00 of the budget of $5.00 a day is spent (80 %)",
  });
  expect(await world.answersOf([ONE, "tool"], [ONE], [TWO])).toEqual(["silent", "silent", "tell"]);
  world.spend(ONE, 1);
  expect(await world.ask(ONE, "tool")).toEqual({
    kind: "tell",
    text: "turnlog: the budget of $5.00 a day is spent ($5.00)",
  });
  expect(await world.answersOf([ONE, "tool"], [ONE], [ONE])).toEqual(["silent", "tell", "tell"]);
});

test("a hard budget stops prompts and tool calls of its project, and another project goes on", async () => {
  const world = new World();
  await world.budget("2/day", { project: "shop", isHard: true });
  await world.refresh();
  world.spend(ONE, 2);
  world.spend(TWO, 5, { project: DOCS });
  expect((await world.ask(ONE)).text).toBe(
    "turnlog: the hard budget of $2.00 a day in shop is spent ($2.00). `turnlog budget override` lets one prompt pass.",
  );
  expect(await world.answersOf([ONE, "tool"], [TWO, "prompt", DOCS], [TWO, "tool", DOCS])).toEqual([
    "stop",
    "silent",
    "silent",
  ]);
});

test("sub-agents count, copies by a fork do not, and a session has a budget of its own", async () => {
  const world = new World();
  await world.budget("3/session", { isHard: true, warnAt: 1 });
  await world.budget("6/total", { isHard: true, warnAt: 1 });
  await world.refresh();
  const rows = world.spend(ONE, 2);
  world.write(
    world.path(TWO),
    rows.map((row) => ({ ...row, forkedFrom: { sessionId: ONE, messageUuid: "u" } })),
  );
  expect(await world.answersOf([ONE], [TWO])).toEqual(["silent", "silent"]);
  world.spend(TWO, 2);
  expect(await world.answersOf([ONE], [TWO])).toEqual(["silent", "silent"]);
  world.spend(TWO, 1, { agent: "a" });
  expect(await world.answersOf([ONE], [TWO])).toEqual(["silent", "stop"]);
  world.spend(ONE, 1, { agent: "b" });
  expect((await world.ask(ONE)).text).toContain("hard budget of $3.00 a session");
});

test("what a session wrote after it last asked counts for the next session", async () => {
  const world = new World();
  await world.budget("2/day", { isHard: true });
  await world.refresh();
  expect(await world.answersOf([ONE])).toEqual(["silent"]);
  world.spend(ONE, 2);
  expect(await world.answersOf([TWO])).toEqual(["stop"]);
});

test("where the sum is not known, a soft budget lets all pass with a line, and a hard one stops", async () => {
  const world = new World();
  world.spend(ONE, 1);
  await world.budget("5/day");
  expect((await world.ask(ONE)).text).toBe(
    "turnlog: the budgets are not checked, because what was spent is not known (it is added up for the first time)",
  );
  expect(await world.answersOf([ONE, "tool"])).toEqual(["silent"]);
  await world.budget("5/day", { isHard: true });
  expect((await world.ask(ONE, "tool")).text).toMatch(/^turnlog: nothing runs, because what was spent is not known/);
  await world.refresh();
  expect(await world.answersOf([ONE])).toEqual(["silent"]);
});

test("a damaged sum is made again while the session waits", async () => {
  const world = new World();
  await world.budget("3/day", { isHard: true });
  world.spend(ONE, 3);
  await world.refresh();
  writeFileSync(world.sumFile(), "no database");
  const asked = await world.ask(ONE, "tool", SHOP, () => void world.refresh());
  expect(asked.text).toContain("is spent ($3.00)");
});

test("a model without a price is named: a hard budget stops, a soft one says so once", async () => {
  const world = new World();
  await world.budget("5/day");
  await world.refresh();
  world.spend(ONE, 1);
  world.spend(ONE, 1, { model: "unheard-of" });
  expect((await world.ask(ONE)).text).toBe(
    "turnlog: $1.00 of the budget of $5.00 a day is spent (20 %, without unheard-of, whose price is not known)",
  );
  expect(await world.answersOf([ONE])).toEqual(["silent"]);
  await world.budget("5/day", { isHard: true });
  expect((await world.ask(ONE)).text).toContain("nothing runs, because what unheard-of cost is not known");
});

test("an override lets one prompt of one session pass, with its tool calls", async () => {
  const world = new World();
  await world.budget("1/day", { isHard: true });
  world.spend(ONE, 1);
  await world.refresh();
  grantPass(world.data);
  expect(await world.answersOf([ONE], [ONE, "tool"], [ONE, "tool"], [TWO], [ONE], [ONE, "tool"])).toEqual([
    "tell",
    "silent",
    "silent",
    "stop",
    "stop",
    "stop",
  ]);
});
