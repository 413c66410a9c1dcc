import { expect, test } from "vitest";
import type { FileCall } from "../../../src/format/record/file-changes.js";
import { blameLines, type FileCommit, type FileMoment } from "../../../src/session/blame/blame-lines.js";

const PLACE = "/w/cart.ts";
const BASE = "export function first() {\n  return one;\n}\n";

function call(before: string | null | undefined, after: string): FileCall {
  return { kind: "write", path: PLACE, before, after, replacements: [], hunks: [] };
}

function wrote(time: number, turn: number | null, before: string | null | undefined, after: string): FileMoment {
  return { kind: "changed", time, place: PLACE, call: call(before, after), turn };
}

function commit(id: string, time: number, content: string | null, more: Partial<FileCommit> = {}): FileCommit {
  return { id, parents: [], isCut: false, time, content, local: null, ...more };
}

interface Known {
  readonly moments?: readonly FileMoment[];
  readonly commits?: readonly FileCommit[];
}

/** One word for each line: the number of its turn, the id of its commit, `?`; `~` where its spacing was changed. */
function blame(content: string, { moments = [], commits = [] }: Known): string {
  const history = { moments, commits, head: commits.at(-1)?.id ?? null, place: PLACE, content, now: 1e15 };
  return blameLines(history)
    .map((origin) =>
      origin.kind === "unknown"
        ? "?"
        : `${origin.kind === "turn" ? origin.turn : origin.id}${origin.isReformatted ? "~" : ""}`,
    )
    .join(" ");
}

test("lines of a file that nobody recorded are unknown", () => {
  expect(blame(BASE, {})).toBe("? ? ?");
});

test("a turn wrote what its change added, and a commit what was there before", () => {
  const second = `${BASE}export const second = 2;\n`;
  const known = { moments: [wrote(2000, 1, BASE, second)], commits: [commit("c", 1000, BASE)] };
  expect(blame(second, known)).toBe("c c c 1");
  expect(blame(second.replaceAll("\n", "\r\n"), known)).toBe("c c c 1");
  expect(blame(second.trimEnd(), known)).toBe("c c c 1");
});

test("a commit of what a session left is the session's; one of what others wrote is not", () => {
  const second = `${BASE}export const second = 2;\n`;
  const third = `${second}export const third = 3;\n`;
  const moments = [wrote(2000, 1, BASE, second)];
  const commits = [
    commit("c1", 1000, BASE),
    commit("c2", 3000, second, { parents: ["c1"] }),
    commit("c3", 4000, third, { parents: ["c2"] }),
  ];
  expect(blame(third, { moments, commits })).toBe("c1 c1 c1 1 c3");
});

test("what was changed unseen before a commit is the commit's, unless only edits and commits happened here since", () => {
  const second = `${BASE}export const second = 2;\n`;
  const tweaked = `${second}export const byHand = 3;\n`;
  const moments = [wrote(2000, 1, BASE, second)];
  const at = (since: number) => [
    commit("c1", 1000, BASE),
    commit("c2", 3000, tweaked, { parents: ["c1"], local: { place: PLACE, since } }),
  ];
  expect(blame(tweaked, { moments, commits: at(1500) })).toBe("c1 c1 c1 1 c2");
  expect(blame(tweaked, { moments, commits: at(2500) })).toBe("c1 c1 c1 c2 c2");
});

test("a line goes back to its first writer where the file became again what it was", () => {
  const second = `${BASE}export const second = 2;\n`;
  const moments = [wrote(1000, 1, BASE, second), wrote(2000, 2, second, BASE), wrote(3000, 3, BASE, second)];
  expect(blame(second, { moments })).toBe("? ? ? 1");
});

test("other spacing does not change who wrote a line", () => {
  const second = `${BASE}export const second = 2;\n`;
  const indented = second.replace(/^(?=.)/gm, "    ");
  const moments = [wrote(1000, 1, null, BASE), wrote(2000, 2, BASE, second)];
  expect(blame(indented, { moments })).toBe("1~ 1~ 1~ 2~");
});

test("a line that moved within a change keeps its writer; one of two alike has none", () => {
  const [one, two] = ["export const one = 1;\n", "export const two = 2;\n"];
  const moments = [wrote(1000, 1, null, one + BASE), wrote(2000, 2, one + BASE, two + BASE + one)];
  expect(blame(two + BASE + one, { moments })).toBe("2 1 1 1 1");
  const doubled = [wrote(1000, 1, null, one), wrote(2000, 2, one, one + one)];
  expect(blame(one + one, { moments: doubled })).toBe("? ?");
});

test("a line that others wrote too is not followed through unseen changes", () => {
  const own = `${BASE}import os from "os";\n`;
  const theirs = `// theirs\n${BASE}import os from "os";\n`;
  const commits = [commit("c1", 1000, BASE), commit("c2", 3000, theirs, { parents: ["c1"] })];
  expect(blame(theirs, { moments: [wrote(2000, 1, BASE, own)], commits })).toBe("c2 c1 c1 c1 c2");
  const dirty = `${theirs}by hand\n`;
  expect(blame(dirty, { moments: [wrote(2000, 1, BASE, own)], commits })).toBe("c2 c1 c1 ? ? ?");
});

test("an edit that a person changed belongs to nobody", () => {
  const second = `${BASE}export const second = 2;\n`;
  expect(blame(second, { moments: [wrote(1000, null, BASE, second)] })).toBe("? ? ? ?");
});

test("what an edit says of its place is believed more than a comparison of the texts", () => {
  const before = "alpha one\n}\nomega two\n}\n";
  const edit: FileCall = {
    ...call(before, ""),
    kind: "edit",
    after: undefined,
    replacements: [{ from: "omega two\n", to: "}\nomega two\n", isEverywhere: false }],
  };
  const after = "alpha one\n}\n}\nomega two\n}\n";
  const moments: FileMoment[] = [
    wrote(1000, 1, null, before),
    { kind: "changed", time: 2000, place: PLACE, call: edit, turn: 2 },
  ];
  expect(blame(after, { moments })).toBe("1 1 2 1 1");
});
