import { join } from "node:path";
import { expect, test } from "vitest";
import { search } from "../../../src/library/search/scan-search.js";
import { CORPUS } from "../../oracle/corpus-sessions.js";

const INTERACTIVE = join(CORPUS, "2.1.325/interactive");

test("prompts, answers, thinking, tool input and output are searched, whatever the case", () => {
  const kindsOf = (query: string) => [...new Set([...search(INTERACTIVE, query)].map(({ kind }) => kind))];
  expect(kindsOf("AFTER REWIND")).toEqual(["prompt"]);
  expect(kindsOf("plan approved; implementing")).toEqual(["answer"]);
  expect(kindsOf("all tools done")).toEqual(["answer"]);
  expect(kindsOf("i should look at the project")).toEqual(["thinking"]);
  expect(kindsOf("sleep 6")).toEqual(["command"]);
  expect(kindsOf("A small project")).toContain("toolOutput");
});

test("a hit says where it is", () => {
  const [hit] = search(INTERACTIVE, "git status");
  expect(hit).toMatchObject({ turn: 2, line: 38, tool: "Bash", project: "/home/dev/tproj", title: "my-custom-name" });
  expect(hit?.snippet).toContain("git status --short");
});

test("an empty query finds nothing", () => {
  expect([...search(INTERACTIVE, "")]).toEqual([]);
});
