import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { planClone } from "../../../src/edit/plans/clone-and-fork.js";
import { readEditSource } from "../../../src/edit/plans/edit-source.js";
import { editedLines } from "../../../src/edit/write/edited-lines.js";
import { answer, call, chain, prompt, type Row, toLines } from "../../builders/session-builder.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { NEW_ID, readEdited, SOURCE_ID } from "../edited-session.js";

/** The rows begin at this time. */
const LIVE = { liveSince: Date.UTC(2026, 0, 1) };
const options = { id: NEW_ID };

function write(...rows: readonly Row[]): string {
  const path = join(temporaryFolder(), `${SOURCE_ID}.jsonl`);
  writeFileSync(path, toLines(chain(...rows)));
  return path;
}

const clone = (path: string) => {
  const plan = planClone(readEditSource(path, LIVE), options);
  return { ...readEdited(Buffer.concat([...editedLines(plan)]), NEW_ID), notes: plan.notes };
};

describe("of a session that is being written", () => {
  test("the open turn is left out, and that is said", () => {
    const path = write(prompt("one"), answer("1"), prompt("two"), call("t", "Bash", {}));
    const { session, notes } = clone(path);
    expect(session.turns.map(({ prompt: words }) => words)).toEqual(["one"]);
    expect(notes.join()).toContain("turn 2 is incomplete");
  });

  test("a complete last turn is kept, and half a line is not", () => {
    const path = write(prompt("one"), answer("1"));
    appendFileSync(path, '{"type":"us');
    const { text, session } = clone(path);
    expect(session.turns).toHaveLength(1);
    expect(text).not.toContain('{"type":"us\n');
  });

  test("the first turn must be over", () => {
    const path = write(prompt("one"), call("t", "Bash", {}));
    expect(() => clone(path)).toThrow("still in its first turn");
  });

  test("what is added after it was read is not in the copy", () => {
    const path = write(prompt("one"), answer("1"));
    const plan = planClone(readEditSource(path), options);
    appendFileSync(path, `${JSON.stringify(prompt("later"))}\n`);
    expect(Buffer.concat([...editedLines(plan)]).toString()).not.toContain("later");
    expect(readFileSync(path, "utf8")).toContain("later");
  });
});
