import { expect, test } from "vitest";
import { answer, call, prompt, type Row, result, sessionText, uuidOf } from "../../builders/session-builder.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { readStatistics } from "./statistics-of.js";

const PRICED = { model: "claude-sonnet-4-5" };

/** An answer of this many tokens. */
const said = (output: number): Row => {
  const row = answer(`said ${output}`);
  const usage = { input_tokens: 0, output_tokens: output };
  return { ...row, message: { ...(row["message"] as Row), ...PRICED, id: `m${output}`, usage } };
};

const ran = (id: string, command: string, output: string): Row[] => [call(id, "Bash", { command }), result(id, output)];

const commit = (id: string, ...made: readonly (readonly [sha: string, subject: string])[]): Row[] =>
  ran(
    id,
    "git commit -m x",
    made.map(([sha, subject]) => `[main ${sha}] ${subject}\n 1 file changed, 1 insertion(+)`).join("\n"),
  );

const opened = (id: string, number: number): Row[] =>
  ran(id, "gh pr create --fill", `https://github.com/acme/shop/pull/${number}`);

const library = (...sessions: readonly (readonly Row[])[]) =>
  temporaryFolder(
    Object.fromEntries(
      sessions.map((rows, at) => [`projects/-w/${uuidOf(at)}.jsonl`, sessionText(prompt(`go ${at}`), ...rows)]),
    ),
  );

const outputs = (rows: readonly { readonly usage: { readonly output: number } }[]) =>
  rows.map(({ usage }) => usage.output);

test("what a session spent counts for its pull request, for several together, or for none", () => {
  const link = {
    type: "pr-link",
    prNumber: 1,
    prUrl: "https://github.com/acme/shop/pull/1",
    prRepository: "acme/shop",
  };
  const { byPullRequest, totals } = readStatistics(
    library(
      [said(1000), ...opened("a", 1)],
      [link, said(200)],
      [said(4000), ...opened("b", 2), ...opened("c", 3)],
      [said(30)],
    ),
  );
  expect(byPullRequest.map(({ pullRequests, sessions }) => [sessions, ...pullRequests])).toEqual([
    [1, "acme/shop#2", "acme/shop#3"],
    [2, "acme/shop#1"],
    [1],
  ]);
  const calls = 40; // what the builder gives each message that calls a tool
  expect(outputs(byPullRequest)).toEqual([4000 + 2 * calls, 1200 + calls, 30]);
  expect(outputs(byPullRequest).reduce((a, b) => a + b)).toBe(totals.usage.output);
});

test("a commit counts from the one before it, and what follows the last is unknown", () => {
  const { byCommit } = readStatistics(
    library([
      said(1000),
      ...commit("a", ["aaaaaaa", "First"]),
      said(300),
      ...commit("b", ["bbbbbbb", "Second"], ["ccccccc", "Third"]),
      said(5),
    ]),
  );
  expect(byCommit.map(({ commits }) => commits.map(({ subject }) => subject))).toEqual([
    ["First"],
    ["Second", "Third"],
    [],
  ]);
  expect(outputs(byCommit)).toEqual([1040, 340, 5]);
  expect(byCommit.map(({ turns }) => turns)).toEqual([1, 0, 0]);
});

test("a turn of a chosen time counts for the commit that it led to, also where the commit is outside", () => {
  const rows = [said(1000), ...commit("a", ["aaaaaaa", "First"]), said(300), ...commit("b", ["bbbbbbb", "Second"])];
  const { byCommit, totals } = readStatistics(library(rows), { until: Date.UTC(2026, 0, 1, 12, 0, 5) });
  expect(byCommit.map(({ commits, usage }) => [commits[0]?.subject, usage.output])).toEqual([
    ["First", 1040],
    ["Second", 300],
  ]);
  expect(totals.usage.output).toBe(1340);
});
