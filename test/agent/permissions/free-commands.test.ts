import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../../runs.js";
import { type JudgedCommand, judgeIn, makeJudgedProject, readJudgedCommands } from "./commands-judged.js";
import { randomCommand } from "./random-command.js";
import { hasStrace, watchCommand } from "./watch-command.js";

const place = makeJudgedProject();
const oddPlace = makeJudgedProject();
for (const name of ["odd/new\nline", "odd/'\"", "odd/ lead", "odd/a=b", "odd/@list", "x\n/etc/hostname", "-n"]) {
  mkdirSync(dirname(join(oddPlace.project, name)), { recursive: true });
  writeFileSync(join(oddPlace.project, name), "x\n");
}
const noRules = { allow: [], ask: [], deny: [], mode: "default", verdict: "free" } as const;
const watcher = hasStrace
  ? "watched by strace"
  : "by the files of the project and what is printed (there is no strace)";
/** They would not end. */
const isEndless = (command: string) => /\btail\b.*-.*f|-F|\bsleep\b/i.test(command);

function runAsJudged(line: JudgedCommand, at = place) {
  const judgement = judgeIn(at, line);
  return watchCommand(judgement.runs ?? line.command, judgement, at);
}

const free = readJudgedCommands().filter(({ verdict, command }) => verdict === "free" && !isEndless(command));

test(`what the page calls free writes nothing, starts nothing else and reads nothing elsewhere, ${watcher}`, () => {
  const offending = free.map((line) => [line.command, runAsJudged(line).offences] as const);
  expect(offending.filter(([, offences]) => offences.length > 0)).toEqual([]);
}, 120_000);

test("the watcher sees a write, a program, a file elsewhere, a deletion and a leak", () => {
  const done = (command: string) => watchCommand(command, {}, place).offences.length > 0;
  expect(done("cat src/link.txt; : with no name")).toBe(true);
  expect(["echo x > made; 'rm' made", 'e""nv'].map(done)).toEqual([true, true]);
  expect([done("ls"), done("cat ../outside/folder/inside"), done("cat /etc/hostname")]).toEqual([
    false,
    true,
    hasStrace,
  ]);
});

/** The time, and what other processes use. */
const isVarying = (command: string) => /^(?:date|df|du|time|hostname|free|uptime)|&$|stat|ls -la/.test(command);
/** Of `xargs` with names that do not pass. */
const isFiltered = (command: string) => /xargs (?:-0 cat|-d)|odd && ls \| xargs/.test(command);

test("what runs in place of a free command does what the command says", () => {
  const lines = free.filter(({ command }) => !isVarying(command) && !isFiltered(command));
  const compared = lines.map((line) => {
    const judgement = judgeIn(place, line);
    const [printed, written] = [judgement.runs ?? "", line.command].map((text) =>
      watchCommand(text, judgement, place, false),
    );
    return {
      command: line.command,
      isSame: printed?.stdout === written?.stdout && printed?.status === written?.status,
    };
  });
  expect(compared.filter(({ isSame }) => !isSame)).toEqual([]);
}, 120_000);

test("the program of xargs gets only names that lead through no link and stay below, and none as an option", () => {
  const names = ["-n", "../outside/secret", "/etc/hostname", "my link", "folder/inside", "inner/../list", "inner/", ""];
  const passing = ["src/a.ts", "./lib//b.ts", `${place.project}/list`, "docs/read me.md", "x=y"];
  const line = (command: string) => ({ ...noRules, command: `printf '%s\\0' ${command} | xargs -0 -n 1 ls -d` });
  const run = (list: readonly string[]) => runAsJudged(line(list.map((name) => `'${name}'`).join(" ")));
  writeFileSync(join(place.project, "x=y"), "");
  expect(run(names)).toMatchObject({ stdout: "", offences: [] });
  expect(run([...names, ...passing]).stdout).toBe(`${passing.join("\n").replace("x=y", "./x=y")}\n`);
  rmSync(join(place.project, "x=y"));
});

test(`whatever is judged free writes nothing, starts nothing else and reads nothing elsewhere, ${watcher}`, () => {
  let count = 0;
  fc.assert(
    fc.property(randomCommand, (command) => {
      const line = { ...noRules, command };
      if (isEndless(command) || judgeIn(oddPlace, line).decision !== "allow") return;
      count += 1;
      expect(runAsJudged(line, oddPlace).offences).toEqual([]);
    }),
    runs(300),
  );
  expect(count).toBeGreaterThan(60);
}, 600_000);
