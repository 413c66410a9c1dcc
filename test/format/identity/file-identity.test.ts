import {
  appendFileSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  compareFile,
  type FileState,
  guessChange,
  isOneFile,
  isSameState,
  readKnownFile,
  stateKey,
  stateOf,
} from "../../../src/format/identity/file-identity.js";
import { temporaryFolder } from "../temporary-folder.js";

const TEXT = "one\ntwo\n";

function fileOf(text: string): string {
  return join(temporaryFolder({ "a.jsonl": text }), "a.jsonl");
}

const CHANGES: readonly (readonly [string, (path: string) => void, string])[] = [
  ["untouched", () => {}, "same"],
  ["touched", (path) => utimesSync(path, 1000, 1000), "same"],
  [
    "replaced by a copy",
    (path) => {
      writeFileSync(`${path}.new`, TEXT);
      renameSync(`${path}.new`, path);
    },
    "same",
  ],
  ["appended to", (path) => appendFileSync(path, "three\n"), "grown"],
  ["rewritten with the same length", (path) => writeFileSync(path, "one\ntoo\n"), "rewritten"],
  [
    "rewritten with the same length and time",
    (path) => {
      const { atime, mtime } = statSync(path);
      writeFileSync(path, "one\ntoo\n");
      utimesSync(path, atime, mtime);
    },
    "rewritten",
  ],
  ["deprived of a line and longer again", (path) => writeFileSync(path, "two\nthree\nfour\n"), "rewritten"],
  ["cut", (path) => truncateSync(path, 4), "rewritten"],
  ["deleted", (path) => rmSync(path), "gone"],
  [
    "replaced by a folder",
    (path) => {
      rmSync(path);
      mkdirSync(path);
    },
    "gone",
  ],
];

test.each(CHANGES)("a file that was %s", (_, change, answer) => {
  const path = fileOf(TEXT);
  const known = readKnownFile(path);
  change(path);
  expect(known && compareFile(path, known)).toBe(answer);
});

test("there is nothing to know of what is no file", () => {
  const folder = temporaryFolder();
  expect([readKnownFile(folder), readKnownFile(join(folder, "none"))]).toEqual([undefined, undefined]);
});

describe("a state that was taken", () => {
  const stats = (changedAt: number) =>
    Object.assign(statSync(fileOf(TEXT)), { mtimeMs: changedAt, ctimeMs: changedAt });

  test("long after the last change proves that nothing was done since", () => {
    const state = stateOf(stats(5_000.5), 10_000);
    expect(isSameState(state, { ...state })).toBe(true);
    expect(stateKey(state)).toBe(stateKey({ ...state }));
  });

  test.each([
    ["right after a change", 5_000.5, 5_010],
    ["within two seconds where times are whole seconds", 5_000, 6_500],
  ])("%s proves nothing", (_, changedAt, seenAt) => {
    const state = stateOf(stats(changedAt), seenAt);
    expect(isSameState(state, { ...state })).toBe(false);
    expect(stateKey(state)).not.toBe(stateKey({ ...state }));
  });
});

describe("from outside", () => {
  const known: FileState = { size: 8, mtimeMs: 1, ctimeMs: 2, inode: 3 };

  test.each<readonly [string, FileState | undefined, string]>([
    ["the same state", { ...known }, "same"],
    ["the same state, seen too soon to be sure", { ...known, ctimeMs: 0 }, "same"],
    ["more bytes in the same file", { ...known, size: 9, mtimeMs: 4, ctimeMs: 4 }, "grown"],
    ["more bytes in another file", { ...known, size: 9, inode: 4 }, "rewritten"],
    ["fewer bytes", { ...known, size: 7 }, "rewritten"],
    ["another time of the data", { ...known, mtimeMs: 5 }, "rewritten"],
    ["another time of the entry", { ...known, ctimeMs: 5 }, "rewritten"],
    ["no file", undefined, "gone"],
  ])("%s looks like that", (_, now, answer) => {
    expect(guessChange(known, now)).toBe(answer);
  });
});

test("two names of one file are one file, and two files with equal bytes are two", () => {
  const path = fileOf(TEXT);
  linkSync(path, `${path}.link`);
  writeFileSync(`${path}.copy`, TEXT);
  expect(isOneFile(statSync(path), statSync(`${path}.link`))).toBe(true);
  expect(isOneFile(statSync(path), statSync(`${path}.copy`))).toBe(false);
  expect(isOneFile(statSync(path), { ...statSync(path), dev: -1 })).toBe(false);
});
