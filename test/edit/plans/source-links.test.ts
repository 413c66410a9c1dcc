import { expect, test } from "vitest";
import { planClone, planFork } from "../../../src/edit/plans/clone-and-fork.js";
import type { EditSource } from "../../../src/edit/plans/edit-source.js";
import { corpusBytes } from "../../builders/corpus-bytes.js";
import { answer, chain, prompt, type Row, toLines } from "../../builders/session-builder.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { readStatistics } from "../../library/stats/statistics-of.js";
import { edit, NEW_ID, SOURCE_ID, withSource } from "../edited-session.js";

const clone = (source: EditSource) => planClone(source, { id: NEW_ID });
const fork = (source: EditSource) => planFork(source, { at: 1 }, { id: NEW_ID });
const typesOf = (rows: readonly Row[]) => new Set(rows.map((row) => row["type"]));

const CONTINUED = "2.1.326/background/projects/-home-dev-demo-app/daf7f90b-c90e-44f5-8640-58d496e57bc0.jsonl";
const BACKGROUND = "2.1.326/background/projects/-home-dev-demo-app/af3916e1-c017-4ed7-aff9-085a783626ca.jsonl";

test("a copy of a continued session does not say that it goes on elsewhere, and the plan tells", () => {
  const source = corpusBytes(CONTINUED);
  expect(source.toString()).toContain('"type":"continued-in"');
  expect(typesOf(edit(source, clone).rows)).not.toContain("continued-in");
  expect(typesOf(edit(source, (read) => planFork(read, { at: 2 }, { id: NEW_ID })).rows)).not.toContain("continued-in");
  const { notes, removed, kept } = withSource(source, clone);
  expect(notes).toEqual([expect.stringContaining("continued-in is not copied")]);
  expect({ removed, kept }).toEqual({ removed: 1, kept: edit(source, clone).rows.length });
});

const LINKS = ["bridge-session", "derived-from", "observer-ref", "artifact-comment-monitor", "resume-head-vouch"];
const KEPT = ["session-owner", "memory-mode", "atis-latch", "relocated", "history-suppression", "repl-mode", "pr-link"];

test("links that belong to the source stay with it, all other side records are copied", () => {
  const side = (type: string): Row => ({ type, sessionId: SOURCE_ID });
  const text = toLines([...[...LINKS, ...KEPT].map(side), ...chain(prompt("a"), answer("b"))]);
  expect(typesOf(edit(text, clone).rows)).toEqual(new Set([...KEPT, "user", "assistant"]));
  expect([...typesOf(edit(text, fork).rows)]).toEqual(expect.arrayContaining(KEPT));
  expect(LINKS.filter((type) => typesOf(edit(text, fork).rows).has(type))).toEqual([]);
});

test("a copied message names the session that made the request, as Claude Code's own forks do", () => {
  const rows = chain(prompt("a"), answer("own"), answer("copied", { requestSessionId: "s-first" }));
  const owners = edit(toLines(rows), clone).rows.map((row) => row["requestSessionId"]);
  expect(owners).toEqual([undefined, SOURCE_ID, "s-first"]);
});

test("a copy of a background session is an ordinary one", () => {
  const { text } = edit(corpusBytes(BACKGROUND), clone);
  expect(corpusBytes(BACKGROUND).toString()).toContain('"sessionKind":"bg"');
  expect(text).not.toContain("sessionKind");
  expect(edit(corpusBytes(BACKGROUND), clone).errors).toEqual([]);
});

test("a session, its copy and the copy's copy spend once, in the first of them", () => {
  const usage = { input_tokens: 10, output_tokens: 100 };
  const source = toLines(chain(prompt("a"), answer("b", { usage })));
  const copy = edit(source, clone).text;
  const again = edit(copy, (read) => planClone(read, { id: "aaaaaaaa-0000-4000-8000-000000000000" })).text;
  const root = temporaryFolder({
    [`projects/-p/${SOURCE_ID}.jsonl`]: source,
    [`projects/-p/${NEW_ID}.jsonl`]: copy,
    "projects/-p/aaaaaaaa-0000-4000-8000-000000000000.jsonl": again,
  });
  const { totals, bySession } = readStatistics(root);
  expect(totals).toMatchObject({ messages: 1, turns: 1 });
  expect(bySession.map(({ id }) => id)).toEqual([SOURCE_ID]);
});
