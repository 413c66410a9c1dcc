import { describe, expect, test } from "vitest";
import type { FileCall } from "../../../src/format/record/file-changes.js";
import { contentAt, type FileEvent, foldFile, listSteps } from "../../../src/session/file-history/fold-file.js";

const CALL: FileCall = { kind: "edit", path: "/p/a", before: undefined, after: undefined, replacements: [], hunks: [] };

const call = (turn: number, told: Partial<FileCall>): FileEvent => ({ kind: "call", turn, call: { ...CALL, ...told } });
const edit = (turn: number, from: string, to: string, before?: string) =>
  call(turn, { before, replacements: [{ from, to, isEverywhere: false }] });
const seen = (turn: number, content: string | null, isAtPrompt = true): FileEvent => ({
  kind: "seen",
  turn,
  content,
  isAtPrompt,
});
const doubt = (turn: number): FileEvent => ({ kind: "doubt", turn, reason: "a command" });

describe("the content at the end of a turn", () => {
  test("is known without notes of the client as long as the start is", () => {
    expect(contentAt([seen(1, "a b"), edit(1, "a", "x"), edit(2, "b", "y")], 2)).toEqual({
      content: "x y",
      doubts: [],
    });
  });

  test("is what the next prompt found, when something else changed the file after the last edit", () => {
    const events = [edit(1, "a", "x", "a"), seen(2, "x, formatted"), edit(2, "x", "z", "x, formatted")];
    expect(contentAt(events, 1)).toEqual({ content: "x, formatted", doubts: [] });
  });

  test("is in doubt when an edit much later found another", () => {
    const { content, doubts } = contentAt([edit(1, "a", "x", "a"), edit(4, "q", "r", "q")], 2);
    expect(content).toBe("x");
    expect(doubts).toEqual(["something else changed it before turn 4, perhaps by that time"]);
  });

  test("is what the first edit found, with a doubt, before that edit", () => {
    const { content, doubts } = contentAt([edit(3, "a", "x", "a")], 1);
    expect(content).toBe("a");
    expect(doubts).toHaveLength(1);
  });

  test("is unknown after an edit that cannot be followed, until something tells", () => {
    const events = [edit(1, "a", "x"), call(2, { kind: "read", after: "seen" })];
    expect(contentAt(events.slice(0, 1), 1).content).toBeUndefined();
    expect(contentAt(events, 2)).toEqual({ content: "seen", doubts: [] });
  });

  test("is in doubt after a command that perhaps removed the file, and sure again after a write", () => {
    const events = [edit(1, "a", "x", "a"), doubt(2), call(3, { kind: "write", after: "new" })];
    expect(contentAt(events.slice(0, 2), 2)).toEqual({ content: "x", doubts: ["a command"] });
    expect(contentAt(events, 3)).toEqual({ content: "new", doubts: [] });
  });

  test("keeps the line ends that a copy shows, though records have none of them", () => {
    const events = [seen(1, "a\r\nb\r\n", false), edit(1, "a\n", "x\ny\n", "a\nb\n")];
    expect(contentAt(events, 1)).toEqual({ content: "x\r\ny\r\nb\r\n", doubts: [] });
  });

  test("follows the patch where a person changed the edit", () => {
    const hunk = { oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ["-a", "+by hand"] };
    const told = { before: "a\n", replacements: [{ from: "a", to: "x", isEverywhere: false }], hunks: [hunk] };
    expect(contentAt([call(1, told)], 1).content).toBe("by hand\n");
  });

  test("follows the words where the patch shows tabs as spaces", () => {
    const hunk = { oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ["-a", "+    x"] };
    const told = { before: "a\n", replacements: [{ from: "a", to: "\tx", isEverywhere: false }], hunks: [hunk] };
    expect(contentAt([call(1, told)], 1).content).toBe("\tx\n");
  });
});

describe("the fold of a file", () => {
  test("reaches from before the first change to after the last, and tells what else changed it", () => {
    const events = [edit(1, "a", "x", "a"), edit(3, "q", "r", "q")];
    expect(foldFile(events)).toEqual({ before: "a", after: "r", changedBefore: [3], doubts: [] });
  });

  test("ends with no file where a command removed it and it is gone", () => {
    expect(foldFile([edit(1, "a", "x", "a"), doubt(1), seen(2, null)])?.after).toBeNull();
    expect(foldFile([edit(1, "a", "x", "a"), doubt(1)])?.after).toBe("x");
    expect(foldFile([edit(1, "a", "x", "a"), seen(2, null)])?.after).toBe("x");
  });

  test("is nothing for a file that was only read", () => {
    expect(foldFile([call(1, { kind: "read", after: "a" })])).toBeUndefined();
  });

  test("has steps with what is known of each", () => {
    const steps = [...listSteps([edit(1, "a", "x"), edit(2, "b", "y", "b")])];
    expect(steps.map(({ before, after }) => [before, after])).toEqual([
      [undefined, undefined],
      ["b", "y"],
    ]);
  });
});
