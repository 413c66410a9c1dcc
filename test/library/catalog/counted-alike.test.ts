import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { SessionSummary } from "../../../src/library/load/session-summary.js";
import { COUNTED } from "../../../src/session/session-spend.js";
import { runCli } from "../../cli/run-cli.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { CORPUS } from "../../oracle/corpus-sessions.js";
import { runs } from "../../runs.js";
import { anyLibrary } from "../stats/any-library.js";

/** What lists, headings and statistics all tell. */
const SHARED = [
  ...COUNTED,
  "totalCostUsd",
  "subagentCostUsd",
  "rewoundCostUsd",
  "copiedCostUsd",
  "copiedTurns",
] as const;

function figuresOf(session: Pick<SessionSummary, (typeof SHARED)[number]>) {
  return Object.fromEntries(SHARED.map((name) => [name, rounded(session[name])]));
}

function rounded(figure: number | null): number | null {
  return figure === null ? null : Number(figure.toFixed(9));
}

function commandsOn(root: string) {
  const env = { TURNLOG_DATA_DIR: temporaryFolder() };
  const print = async (...args: string[]) => (await runCli([...args, "--config-dir", root], env)).stdout;
  const json = async (...args: string[]) => JSON.parse(await print(...args, "--json"));
  return { print, json };
}

type Commands = ReturnType<typeof commandsOn>;

/** A library also has sessions of which only sub-agents are left: these are in the statistics alone. */
async function sums({ json }: Commands, option?: string) {
  const options = option === undefined ? [] : [option];
  const sessions: SessionSummary[] = await json("list", ...options);
  const { totals } = await json("stats", ...options);
  const { bySession } = await json("stats", "--by", "session", ...options);
  const listed = new Set(sessions.map(({ path }) => path));
  const unlisted = bySession.filter(({ path }: SessionSummary) => !listed.has(path));
  const sum = (name: (typeof COUNTED)[number]) =>
    [...sessions, ...unlisted].reduce((total, session) => total + session[name], 0);
  return {
    sessions,
    added: Object.fromEntries(COUNTED.map((name) => [name, sum(name)])),
    totals: Object.fromEntries(COUNTED.map((name) => [name, totals[name]])),
  };
}

async function shownFigures({ json }: Commands, sessions: readonly SessionSummary[]) {
  const shown: ReturnType<typeof figuresOf>[] = [];
  for (const { path } of sessions) shown.push(figuresOf((await json("show", path)).totals));
  return shown;
}

async function expectAlike(root: string): Promise<void> {
  const fresh = commandsOn(root);
  const read = await sums(fresh, "--no-index");
  const figures = read.sessions.map(figuresOf);
  expect(read.added).toEqual(read.totals);
  expect(await shownFigures(fresh, read.sessions)).toEqual(figures);
  const latest: SessionSummary[] = await fresh.json("list", "--no-index", "--limit", "2");
  expect(latest).toEqual(read.sessions.slice(0, 2));

  await fresh.print("index", "sync");
  const indexed = await sums(fresh);
  expect(indexed.sessions).toEqual(read.sessions);
  expect([indexed.added, indexed.totals]).toEqual([read.added, read.totals]);
  expect(await shownFigures(fresh, read.sessions.slice(0, 3))).toEqual(figures.slice(0, 3));
}

test("list, show and stats count any library alike, before and after it is indexed", async () => {
  await fc.assert(
    fc.asyncProperty(anyLibrary, (files) => expectAlike(temporaryFolder(files))),
    runs(8),
  );
});

const RECORDED = readdirSync(CORPUS, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith("projects"))
  .map(dirname);

test.each(RECORDED)("list, show and stats count %s alike, before and after it is indexed", async (name) => {
  await expectAlike(join(CORPUS, name));
});
