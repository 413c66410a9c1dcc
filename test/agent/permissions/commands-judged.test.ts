import { expect, test } from "vitest";
import { type JudgedCommand, judgeIn, makeJudgedProject, readJudgedCommands } from "./commands-judged.js";

const lines = readJudgedCommands();
const place = makeJudgedProject();

/** The verdict in the words of the page. */
function verdictOf(line: JudgedCommand): string {
  const { decision } = judgeIn(place, line);
  if (decision !== "allow") return decision;
  return judgeIn(place, { ...line, mode: "plan" }).decision === "allow" && line.mode === "default" ? "free" : "rule";
}

test("the page has at least 300 command lines, each once for its settings", () => {
  const keys = lines.map(({ verdict: _, ...line }) => JSON.stringify(line));
  expect(lines.length).toBeGreaterThanOrEqual(300);
  expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
});

test.each(
  lines.map(
    (line) => [line.command, line.mode, [...line.allow, ...line.ask, ...line.deny], line.verdict, line] as const,
  ),
)("%j in mode %s with %j: %s", (_command, _mode, _rules, verdict, line) => {
  expect(verdictOf(line)).toBe(verdict);
});

test("in plan mode nothing is asked: what would be is denied", () => {
  const asked = lines.filter(({ verdict }) => verdict === "ask").map((line) => ({ ...line, mode: "plan" as const }));
  expect(asked.filter((line) => judgeIn(place, line).decision !== "deny")).toEqual([]);
});
