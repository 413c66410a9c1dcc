import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { CompareAnswer } from "../../../src/server/api/compare.js";
import type { EditAnswer, EditPreview, EditRequest, PrunableAnswer } from "../../../src/server/api/edit.js";
import type { SessionsAnswer } from "../../../src/server/api/list.js";
import type { ApiFailure } from "../../../src/server/api/start.js";
import type { TracePreview } from "../../../src/server/api/trace.js";
import { readLineage } from "../../../src/store/user-db.js";
import {
  answer,
  compaction,
  continuing,
  prompt,
  resultFor,
  system,
  toolUses,
  writeLines,
} from "../../builders/session-builder.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { serveApp } from "../served-app.js";

const ID = "7c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e4f";
const FOLDER = join("projects", "-home-dev-shop");

/** A turn with a tool call, a rewound second turn, and its replacement. */
function library() {
  const lines = writeLines([
    prompt("one"),
    toolUses("t1"),
    resultFor("t1", "long output ".repeat(500)),
    answer("1"),
    prompt("do the second thing"),
    answer("2"),
    continuing("u4", prompt("do the second thing better")),
    answer("3"),
  ]);
  return temporaryFolder({ [join(FOLDER, `${ID}.jsonl`)]: `${lines.join("\n")}\n` });
}

const filesOf = (root: string) => readdirSync(join(root, FOLDER)).sort();

test("a preview tells what goes and what that saves, and writes nothing", async () => {
  const configDir = library();
  const { post } = await serveApp({ configDir });
  const wanted = { command: "prune", flags: { tools: "stub", keepLast: "0" } };
  const preview = (await (await post(`/api/sessions/${ID}/edit/preview`, wanted)).json()) as EditPreview;
  expect(preview.tokensAfter).toBeLessThan(preview.tokensBefore);
  expect(preview.changedBy).toEqual({ "tool results stubbed": 1 });
  expect(preview.commandLine).toBe(`turnlog prune ${ID} --tools stub --keep-last 0`);
  expect(filesOf(configDir)).toEqual([`${ID}.jsonl`]);
});

test("what can be picked for prune is listed with what it saves, and picked", async () => {
  const { post, json } = await serveApp({ configDir: library() });
  const { turns } = await json<PrunableAnswer>(`/api/sessions/${ID}/edit/calls`);
  expect(turns).toMatchObject([{ index: 1, prompt: "one", calls: [{ id: "t1", isSpoken: false }] }]);
  expect(turns[0]?.calls[0]?.tokens).toBeGreaterThan(turns[0]?.calls[0]?.stubSaves ?? 0);
  const preview = async (flags: EditRequest["flags"]) =>
    (await (await post(`/api/sessions/${ID}/edit/preview`, { command: "prune", flags })).json()) as EditPreview;
  const removed = await preview({ removeCall: ["t1"] });
  expect(removed.commandLine).toBe(`turnlog prune ${ID} --remove-call t1`);
  expect(removed.tokensBefore - removed.tokensAfter).toBeGreaterThan(turns[0]?.calls[0]?.stubSaves ?? 0);
  expect(await preview({ preset: "extreme", keepTurn: ["1"] })).toMatchObject({ refused: { code: "not-found" } });
});

test.each([
  [{ command: "prune", flags: { keepTurn: ["1"], stubTurn: ["1"] } }, "turn 1 is picked twice: keep and stub"],
  [{ command: "prune", flags: { stubTurn: ["0"] } }, "not a turn: 0"],
  [{ command: "fork", flags: { at: "99" } }, "there is no turn 99"],
  [{ command: "prune", flags: { keepLast: "many" } }, '--keep-last must be a number, not "many"'],
])("a preview of %j says in words why nothing would come of it", async (wanted, message) => {
  const { post } = await serveApp({ configDir: library() });
  const response = await post(`/api/sessions/${ID}/edit/preview`, wanted);
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ refused: { code: expect.any(String), message, hint: expect.any(String) } });
});

test("a preview of what is no request, or of nobody's session, is refused", async () => {
  const { post } = await serveApp({ configDir: library() });
  const [unknown, strange] = [
    await post("/api/sessions/nobody/edit/preview", { command: "clone" }),
    await post(`/api/sessions/${ID}/edit/preview`, { command: "prune", flags: { output: "/tmp/elsewhere.jsonl" } }),
  ];
  expect([unknown.status, strange.status]).toEqual([404, 400]);
});

test("a pruned session is written beside the old one, listed, and kept in the lineage", async () => {
  const configDir = library();
  const { post, json, data } = await serveApp({ configDir });
  const before = readFileSync(join(configDir, FOLDER, `${ID}.jsonl`), "utf8");
  const wanted = { command: "prune", flags: { preset: "extreme" } };
  const made = (await (await post(`/api/sessions/${ID}/edit`, wanted)).json()) as EditAnswer;
  expect(filesOf(configDir)).toEqual([`${ID}.jsonl`, `${made.id}.jsonl`].sort());
  expect(readFileSync(join(configDir, FOLDER, `${made.id}.jsonl`), "utf8")).not.toContain("long output");
  expect(readFileSync(join(configDir, FOLDER, `${ID}.jsonl`), "utf8")).toBe(before);
  const { sessions } = await json<SessionsAnswer>("/api/sessions");
  expect(sessions.map(({ live }) => live)).toEqual([false, false]);
  expect(readLineage(data)).toMatchObject([{ session: made.id, source: ID, command: "prune" }]);
});

test("a compaction is undone from the web UI; the preview says what comes back", async () => {
  const lines = writeLines([prompt("one"), answer("1"), compaction(), prompt("two"), answer("2")]);
  const configDir = temporaryFolder({ [join(FOLDER, `${ID}.jsonl`)]: `${lines.join("\n")}\n` });
  const { post } = await serveApp({ configDir });
  const wanted = { command: "uncompact", flags: { all: true, toTokens: "90k" } };
  const preview = (await (await post(`/api/sessions/${ID}/edit/preview`, wanted)).json()) as EditPreview;
  expect(preview.commandLine).toBe(`turnlog uncompact ${ID} --all --to-tokens 90k`);
  expect(preview.notes).toContainEqual(expect.stringContaining("compaction 1 of 1 is undone"));
  const made = (await (await post(`/api/sessions/${ID}/edit`, wanted)).json()) as EditAnswer;
  expect(readFileSync(join(configDir, FOLDER, `${made.id}.jsonl`), "utf8")).not.toContain("isCompactSummary");
});

test.each([
  [{ command: "clone" }, `turnlog clone ${ID}`],
  [{ command: "fork", flags: { at: "1" } }, `turnlog fork ${ID} --at 1`],
  [{ command: "compress", flags: { perTurn: true } }, `turnlog compress ${ID} --per-turn`],
  [{ command: "repair" }, `turnlog repair ${ID} --write`],
  [{ command: "redact", flags: { redactEmails: true } }, `turnlog redact ${ID} --redact-emails`],
])("%j is what %j would do", async (wanted, commandLine) => {
  const configDir = library();
  const { post } = await serveApp({ configDir });
  const made = (await (await post(`/api/sessions/${ID}/edit`, wanted)).json()) as EditAnswer;
  expect(made.commandLine).toBe(commandLine);
  expect(filesOf(configDir)).toContain(`${made.id}.jsonl`);
});

test.each([
  { command: "move" },
  { command: "constructor" },
  { command: "fork" },
  { command: "fork", flags: { at: "99" } },
  { command: "prune", flags: { output: "/tmp/elsewhere.jsonl" } },
  { command: "prune", flags: { keepLast: "many" } },
  { command: "clone", path: "/etc" },
])("%j is refused, and nothing is written", async (wanted) => {
  const configDir = library();
  const { post } = await serveApp({ configDir });
  const response = await post(`/api/sessions/${ID}/edit`, wanted);
  expect([400, 404]).toContain(response.status);
  expect(filesOf(configDir)).toEqual([`${ID}.jsonl`]);
});

test("demo sessions are neither edited nor deleted", async () => {
  const { post, json } = await serveApp({ demo: true });
  const [session] = (await json<SessionsAnswer>("/api/sessions")).sessions;
  const edited = await post(`/api/sessions/${session?.id}/edit`, { command: "clone" });
  const deleted = await post("/api/trash", { ids: [session?.id] });
  expect([edited.status, deleted.status]).toEqual([400, 400]);
  expect(((await edited.json()) as ApiFailure).error.message).toContain("demo");
});

test("records that a compaction preserved and that are missing are counted on their side", async () => {
  const compacted = (uuids: string[]) => [
    prompt("one"),
    answer("1"),
    system("compact_boundary", { parentUuid: null, compactMetadata: { preservedMessages: { uuids } } }),
    prompt("summary", { isCompactSummary: true }),
    prompt("two"),
    answer("2"),
  ];
  const other = "8c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e4f";
  const fileOf = (uuids: string[]) => `${writeLines(compacted(uuids)).join("\n")}\n`;
  const configDir = temporaryFolder({
    [join(FOLDER, `${ID}.jsonl`)]: fileOf(["u1", "u2"]),
    [join(FOLDER, `${other}.jsonl`)]: fileOf(["u1", "gone"]),
  });
  const { json } = await serveApp({ configDir });
  const { a, b } = await json<CompareAnswer>(`/api/compare?a=${ID}&b=${other}`);
  expect([a.missingPreserved, b.missingPreserved]).toEqual([0, 1]);
});

test("branches are compared turn by turn, with cost, files and the same command", async () => {
  const { json } = await serveApp({ configDir: library() });
  const compared = await json<CompareAnswer>(`/api/compare?a=${ID}&b=${ID}&branchB=u6`);
  expect(compared.turns.map(({ kind }) => kind)).toEqual(["same", "changed"]);
  expect(compared.turns[1]?.differs).toEqual(["prompt", "answer"]);
  expect([compared.turns[1]?.a?.prompt, compared.turns[1]?.b?.prompt]).toEqual([
    "do the second thing better",
    "do the second thing",
  ]);
  expect([compared.a.turns, compared.b.turns]).toEqual([2, 2]);
  expect(compared.command).toBe(`turnlog diff ${ID} --branch u6`);
});

test.each([`a=${ID}`, `a=${ID}&b=nobody`, `a=${ID}&b=${ID}&branchB=nowhere`])(
  "a comparison of %s is refused",
  async (fields) => {
    const { get } = await serveApp({ configDir: library() });
    expect([400, 404]).toContain((await get(`/api/compare?${fields}`)).status);
  },
);

test("before a trace is sent the page can tell its spans, and where to; without a target it is refused", async () => {
  const { json, post } = await serveApp({ configDir: library() });
  const preview = await json<TracePreview>(`/api/sessions/${ID}/trace`);
  const sent = await post(`/api/sessions/${ID}/trace`, {});
  expect(preview.targets).toEqual([]);
  expect(preview.tree).toContain("one");
  expect(preview.command).toBe(`turnlog trace send ${ID}`);
  expect(((await sent.json()) as ApiFailure).error.message).toBe("no trace target is installed");
});
