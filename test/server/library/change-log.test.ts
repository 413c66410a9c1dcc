import { expect, test } from "vitest";
import { ChangeLog } from "../../../src/server/library/library-sync.js";

test("what grew is told from any generation on, each file once", () => {
  const log = new ChangeLog();
  log.note(1, ["a"]);
  log.note(2, ["b", "a"]);
  log.note(3, ["b"]);
  expect(log.since(0)).toEqual(["a", "b"]);
  expect(log.since(2)).toEqual(["b"]);
});

test("where anything may have changed, or too much happened since, nothing is told", () => {
  const log = new ChangeLog();
  log.note(1, ["a"]);
  log.note(2, undefined);
  log.note(3, ["a"]);
  expect(log.since(1)).toBeUndefined();
  expect(log.since(2)).toEqual(["a"]);
  for (let generation = 4; generation < 200; generation += 1) log.note(generation, ["b"]);
  expect(log.since(2)).toBeUndefined();
});
