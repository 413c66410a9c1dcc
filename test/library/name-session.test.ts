import { join } from "node:path";
import { expect, test } from "vitest";
import { resolveSession } from "../../src/library/name-session.js";
import { CORPUS } from "../oracle/corpus-sessions.js";

const INTERACTIVE = join(CORPUS, "2.1.325/interactive");
const PRINT = join(CORPUS, "2.1.325/print");
const FORKED = join(CORPUS, "2.1.45/interactive2");

test.each([
  ["its whole id", "611dbd00-3ef7-4482-9f54-be0d7ea83ed8", INTERACTIVE, "611dbd00"],
  ["its id in capitals", "611DBD00-3EF7-4482-9F54-BE0D7EA83ED8", INTERACTIVE, "611dbd00"],
  ["a unique beginning of its id", "611d", INTERACTIVE, "611dbd00"],
  ["its exact title", "[[worktree]] please run worktree", PRINT, "4af57e2d"],
  ["`last`", "last", INTERACTIVE, "e921926e"],
])("a session is found by %s", (_how, name, root, id) => {
  expect(resolveSession(name, [root])).toContain(`/${id}-`);
});

test("a session is found by its path, from anywhere", () => {
  const path = join(INTERACTIVE, "projects/-home-dev-tproj/611dbd00-3ef7-4482-9f54-be0d7ea83ed8.jsonl");
  expect(resolveSession(path, [])).toBe(path);
});

test.each([
  ["an unknown name", "nothing like it", INTERACTIVE, /no session is called "nothing like it"/],
  ["a beginning that several ids share", "5", PRINT, /no session is called|names \d+ sessions/],
  ["a title that several sessions share", "my-custom-name", INTERACTIVE, /names 2 sessions/],
  ["a path that is not there", "./no/such.jsonl", INTERACTIVE, /no such file/],
  ["an empty name", "", INTERACTIVE, /empty/],
  ["any name where there are no sessions", "last", "/nowhere", /no sessions in/],
])("%s is a clear error", (_what, name, root, message) => {
  expect(() => resolveSession(name, [root])).toThrow(message);
});

test("a session that stands in two roots is not guessed", () => {
  const id = "81cb60fa-2719-4b12-a617-86535482ee49";
  expect(() => resolveSession(id, [FORKED, FORKED])).toThrow(/names 2 sessions/);
});
