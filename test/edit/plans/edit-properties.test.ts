import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ForkPoint, planClone, planFork } from "../../../src/edit/plans/clone-and-fork.js";
import type { EditSource } from "../../../src/edit/plans/edit-source.js";
import { editedLines } from "../../../src/edit/write/edited-lines.js";
import { isObject, type JsonObject } from "../../../src/format/json.js";
import type { Node } from "../../../src/session/graph/node.js";
import type { Outline } from "../../../src/session/open-session.js";
import { anySession } from "../../builders/any-session.js";
import { runs } from "../../runs.js";
import { hostileRows } from "../../session/hostile-rows.js";
import { apiProblems } from "../../session/replay/api-rules.js";
import { type Edited, edit, meaningOf, NEW_ID, readEdited, withSource } from "../edited-session.js";
import { lostParents } from "../lost-parents.js";

const options = { id: NEW_ID };
const clone = (source: EditSource) => planClone(source, options);
const toText = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");
const session = anySession().map(toText);
/** A message that follows a result is part of its turn; a result that nobody asked for is left out, and decides no more. */
const paired = session.filter((text) => !readEdited(Buffer.from(text)).errors.includes("orphan-tool-result"));
const hostile = hostileRows.map((rows) => toText(rows.map((row) => JSON.stringify(row))));

/** Every id in a row that names a record, as the source spells it: those that a copy may keep are left out. */
function oldIdsIn(row: JsonObject, known: ReadonlySet<unknown>): unknown[] {
  const { message: _message, toolUseResult: _result, forkedFrom: _origin, ...rest } = row;
  return idsBelow(rest).filter((id) => known.has(id));
}

function idsBelow(value: unknown, key = ""): unknown[] {
  if (Array.isArray(value)) return value.flatMap((item) => idsBelow(item, key));
  if (isObject(value)) return Object.entries(value).flatMap(([name, item]) => idsBelow(item, name));
  return /ids?$/i.test(key) ? [value] : [];
}

/** What people wrote, as turns or inside of them: that may depend on a record that a fork leaves out. */
function wordsOf(nodes: readonly Node[]): string[] {
  const roles: readonly string[] = ["prompt", "command", "bash", "queuedPrompt"];
  return nodes.flatMap(({ role, text }) => (roles.includes(role) ? [text ?? ""] : []));
}

function wordsIn(text: string): string[] {
  return withSource(text, ({ outline }) => wordsOf(outline.active));
}

describe("for any session, a clone", () => {
  test("means the same", () => {
    fc.assert(
      fc.property(session, (text) => {
        expect(meaningOf(edit(text, clone).session)).toEqual(meaningOf(readEdited(Buffer.from(text)).session));
      }),
      runs(75),
    );
  });

  test("has no id of its source, has as many errors, and gives the same request", () => {
    fc.assert(
      fc.property(fc.oneof(session, hostile), (text) => {
        const source = readEdited(Buffer.from(text));
        const known = new Set(source.rows.map((row) => row["uuid"]).filter((uuid) => typeof uuid === "string" && uuid));
        const copy = edit(text, clone);
        expect(copy.rows.flatMap((row) => oldIdsIn(row, known))).toEqual([]);
        expect(copy.errors).toEqual(source.errors);
        expect(copy.replay.messages).toEqual(source.replay.messages);
      }),
      runs(75),
    );
  });

  test("that keeps uuids differs in session, origin and owner alone", () => {
    fc.assert(
      fc.property(session, (text) => {
        const strip = (rows: readonly JsonObject[]) =>
          rows.map(({ sessionId: _id, forkedFrom: _from, requestSessionId: _owner, ...row }) => row);
        const copy = edit(text, (source) => planClone(source, { ...options, keepUuids: true }));
        expect(strip(copy.rows)).toEqual(strip(readEdited(Buffer.from(text)).rows));
      }),
      runs(25),
    );
  });

  test("leaves the source as it is", () => {
    fc.assert(
      fc.property(session, (text) => {
        withSource(text, (source) => {
          expect([...editedLines(clone(source))].length).toBeGreaterThanOrEqual(0);
          expect(readFileSync(source.path, "utf8")).toBe(text);
        });
      }),
      runs(15),
    );
  });
});

describe("for any session, a fork", () => {
  const chosen = fc.nat();

  test("at a turn has what was said up to there, and no new errors", () => {
    fc.assert(
      fc.property(session, chosen, (text, number) => {
        const { errors } = readEdited(Buffer.from(text));
        const { turns, preamble } = outlineOf(text);
        fc.pre(turns.length > 0);
        const at = 1 + (number % turns.length);
        const fork = edit(text, (it) => planFork(it, { at }, options));
        const kept = [...preamble.nodes, ...turns.slice(0, at).flatMap(({ nodes }) => nodes)];
        expect(wordsIn(fork.text)).toEqual(wordsOf(kept));
        expectSound(fork, errors);
      }),
      runs(50),
    );
  });

  test("from a turn has what was said from there on, and no new errors", () => {
    fc.assert(
      fc.property(session, chosen, (text, number) => {
        const { errors } = readEdited(Buffer.from(text));
        const { turns } = outlineOf(text);
        fc.pre(turns.length > 0);
        const from = 1 + (number % turns.length);
        const fork = edit(text, (it) => planFork(it, { from }, options));
        expect(wordsIn(fork.text)).toEqual(wordsOf(turns.slice(from - 1).flatMap(({ nodes }) => nodes)));
        expectSound(fork, errors);
      }),
      runs(50),
    );
  });

  test("of a session whose results have calls begins its turns where they began", () => {
    fc.assert(
      fc.property(paired, chosen, (text, number) => {
        const { turns } = outlineOf(text);
        fc.pre(turns.length > 0);
        const turn = 1 + (number % turns.length);
        const turnsIn = (point: ForkPoint) =>
          startsOf(outlineOf(edit(text, (it) => planFork(it, point, options)).text));
        expect(turnsIn({ at: turn })).toEqual(startsOf({ turns: turns.slice(0, turn) }));
        expect(turnsIn({ from: turn })).toEqual(startsOf({ turns: turns.slice(turn - 1) }));
      }),
      runs(30),
    );
  });

  test("of a branch has what was said on that branch", () => {
    fc.assert(
      fc.property(session, chosen, (text, number) => {
        const { errors, session: source } = readEdited(Buffer.from(text));
        const leaves = source.branches.dead.flatMap(({ leaf }) => leaf ?? []);
        fc.pre(leaves.length > 0);
        const leaf = leaves[number % leaves.length] ?? "";
        const spoken = withSource(text, (it) =>
          wordsOf(it.viewBranch(leaf).active.filter(({ kind }) => kind === "user")),
        );
        fc.pre(spoken.length > 0);
        const fork = edit(text, (it) => planFork(it, { branch: leaf }, options));
        expect(
          withSource(fork.text, ({ outline }) => wordsOf(outline.active.filter(({ kind }) => kind === "user"))),
        ).toEqual(spoken);
        expectSound(fork, errors);
      }),
      runs(50),
    );
  });
});

function outlineOf(text: string): Outline {
  return withSource(text, ({ outline }) => outline);
}

/** Where turns begin: which prompts are turns of their own, and not part of another. */
function startsOf({ turns }: Pick<Outline, "turns">): string[] {
  return turns.map(({ start: { role, text = "" } }) => `${role} ${text}`);
}

function expectSound(fork: Edited, errorsBefore: readonly string[]): void {
  expect(fork.errors.filter((code) => !errorsBefore.includes(code))).toEqual([]);
  expect(lostParents(fork.rows)).toEqual([]);
  expect(apiProblems(fork.replay.messages)).toEqual([]);
}
