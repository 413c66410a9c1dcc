import type { ProblemCode } from "../../../src/session/verify/problem-codes.js";
import {
  answer,
  assistant,
  call,
  chain,
  prompt,
  type Row,
  result,
  SESSION_ID,
  toLines,
  uuidOf,
} from "../../builders/session-builder.js";

export interface VerifyCase {
  readonly code: ProblemCode;
  readonly line: number;
  readonly bytes: string | Buffer;
  readonly fileName?: string;
  readonly folder?: string;
}

/** A small, clean session; every case below breaks it in one way. */
export const CLEAN = chain(
  prompt("go"),
  call("t1", "Read", { file_path: "/a" }),
  result("t1", "alpha"),
  answer("Done."),
);

const text = toLines(CLEAN);
const [first = "", second = "", third = "", fourth = ""] = text.split("\n");
const OTHER_ID = "22222222-2222-4222-8222-222222222222";

/** The clean session with one row put in the place of another (1-based), or changed. */
function withRow(line: number, change: Row): string {
  return toLines(CLEAN.with(line - 1, { ...CLEAN[line - 1], ...change }));
}

function withAnswer(content: unknown, stopReason: string | null = "end_turn"): string {
  return withRow(4, assistant("m", content, { stopReason: stopReason }));
}

const side = (row: Row) => text + toLines([row]);
const more = (...rows: readonly Row[]) => toLines(chain(...CLEAN, ...rows));

export const FILE_CASES: readonly VerifyCase[] = [
  { code: "empty-file", line: 0, bytes: "" },
  { code: "empty-file", line: 0, bytes: "\n \n" },
  { code: "no-conversation", line: 0, bytes: toLines([{ type: "custom-title", customTitle: "x" }]) },
  { code: "not-uuid-name", line: 0, bytes: text, fileName: "my-session.jsonl" },
  { code: "other-folder", line: 4, bytes: withRow(4, { cwd: "/srv/shop" }), folder: "-srv-other" },
  { code: "broken-line", line: 2, bytes: `${first}\nrubbish\n${second}\n${third}\n${fourth}\n` },
  { code: "truncated-last-line", line: 5, bytes: `${text}${first.slice(0, 40)}` },
  { code: "glued-line", line: 1, bytes: `${first}${second}\n${third}\n${fourth}\n` },
  { code: "no-final-newline", line: 4, bytes: text.slice(0, -1) },
  { code: "byte-order-mark", line: 1, bytes: `\uFEFF${text}` },
  { code: "crlf", line: 1, bytes: text.replaceAll("\n", "\r\n") },
  { code: "nul-bytes", line: 4, bytes: `${text.slice(0, -1)}\0\0\n` },
  { code: "invalid-utf8", line: 1, bytes: Buffer.from(text.replace("go", "gö"), "latin1") },
  { code: "lone-surrogate", line: 1, bytes: text.replace("go", "\\ud83d") },
  { code: "lone-surrogate", line: 1, bytes: text.replace("go", "\\ude00\\ud83d") },
];

const SUMMARY = prompt("What was done.", { isCompactSummary: true });
const THOUGHT = { type: "thinking", thinking: "hm", signature: "s" };

export const RECORD_CASES: readonly VerifyCase[] = [
  { code: "unknown-type", line: 5, bytes: side({ type: "hologram" }) },
  { code: "wrong-type", line: 1, bytes: withRow(1, prompt(null)) },
  { code: "wrong-type", line: 1, bytes: withRow(1, { message: 5 }) },
  { code: "wrong-type", line: 1, bytes: withRow(1, prompt(["go"])) },
  { code: "wrong-type", line: 4, bytes: withRow(4, { isSidechain: "no" }) },
  { code: "missing-uuid", line: 4, bytes: withRow(4, { uuid: undefined }) },
  { code: "missing-parent-field", line: 4, bytes: withRow(4, { parentUuid: undefined }) },
  { code: "missing-timestamp", line: 4, bytes: withRow(4, { timestamp: undefined }) },
  { code: "invalid-timestamp", line: 4, bytes: withRow(4, { timestamp: "yesterday" }) },
  { code: "missing-session-id", line: 4, bytes: withRow(4, { sessionId: undefined }) },
  { code: "session-id-differs", line: 4, bytes: withRow(4, { sessionId: OTHER_ID }) },
  { code: "missing-message-id", line: 4, bytes: withRow(4, { message: { content: [{ type: "text", text: "x" }] } }) },
  { code: "string-answer", line: 4, bytes: withAnswer("Done.") },
  { code: "empty-text", line: 4, bytes: withAnswer([{ type: "text", text: "" }]) },
  { code: "unsigned-thinking", line: 4, bytes: withAnswer([{ type: "thinking", thinking: "hm", signature: "" }]) },
  { code: "hollow-thinking", line: 4, bytes: withAnswer([{ type: "thinking", thinking: "", signature: "s" }]) },
  { code: "thinking-last", line: 4, bytes: withAnswer([{ type: "text", text: "x" }, THOUGHT]) },
  { code: "thinking-alone", line: 4, bytes: withAnswer([THOUGHT]) },
  { code: "extra-block-field", line: 4, bytes: withAnswer([{ type: "text", text: "x", mood: 1 }]) },
  { code: "stop-without-call", line: 4, bytes: withAnswer([{ type: "text", text: "x" }], "tool_use") },
  {
    code: "stale-usage",
    line: 4,
    bytes: withRow(4, {
      message: { id: "m", content: [], usage: { input_tokens: 5_000, cache_read_input_tokens: 190_000 } },
    }),
  },
];

export const GRAPH_CASES: readonly VerifyCase[] = [
  { code: "duplicate-line", line: 5, bytes: `${text}${second}\n` },
  { code: "duplicate-uuid", line: 5, bytes: `${text}${first.replace("go", "no")}\n` },
  { code: "missing-parent", line: 4, bytes: withRow(4, { parentUuid: "gone" }) },
  { code: "missing-first-parent", line: 1, bytes: withRow(1, { parentUuid: "gone" }) },
  { code: "parent-cycle", line: 1, bytes: withRow(1, { parentUuid: uuidOf(4) }) },
  { code: "self-parent", line: 4, bytes: withRow(4, { parentUuid: uuidOf(4) }) },
  { code: "child-before-parent", line: 1, bytes: `${second}\n${first}\n${third}\n${fourth}\n` },
  { code: "several-roots", line: 5, bytes: more(prompt("again", { parentUuid: null }), answer("Again.")) },
  { code: "unknown-type-in-chain", line: 5, bytes: more({ type: "hologram" }, prompt("on"), answer("Yes.")) },
  { code: "progress-in-chain", line: 5, bytes: more({ type: "progress", data: {} }, prompt("on"), answer("Yes.")) },
  { code: "forked-results", line: 2, bytes: forkedResults() },
  { code: "unresolved-leaf", line: 5, bytes: side({ type: "last-prompt", leafUuid: "gone" }) },
  { code: "resumes-empty", line: 5, bytes: side({ type: "last-prompt", leafUuid: null, explicit: true }) },
  { code: "leaf-elsewhere", line: 5, bytes: side({ type: "last-prompt", leafUuid: uuidOf(2), explicit: true }) },
  {
    code: "leaf-elsewhere",
    line: 7,
    bytes: more(prompt("again", { parentUuid: uuidOf(1) }), answer("Again.")) + leafAt(4),
  },
  { code: "answer-first", line: 1, bytes: toLines(chain(answer("Hello."), prompt("go"), answer("Done."))) },
  { code: "answer-first", line: 6, bytes: more(boundary(), answer("Hello."), prompt("go"), answer("Done.")) },
  {
    code: "answer-first", // kept messages precede the summary, and an earlier summary is one of them
    line: 6,
    bytes: more(
      boundary(),
      answer("Kept."),
      SUMMARY,
      prompt("go"),
      answer("Done."),
      SUMMARY,
      prompt("on"),
      answer("Yes."),
    ),
  },
  { code: "all-sidechain", line: 0, bytes: toLines(CLEAN.map((row) => ({ ...row, isSidechain: true }))) },
  { code: "user-line-last", line: 5, bytes: more(prompt("and now?")) },
  { code: "orphan-tool-use", line: 5, bytes: more(call("t2", "Bash", {}), prompt("stop"), answer("Stopped.")) },
  { code: "pending-tool-use", line: 5, bytes: more(call("t2", "Bash", {})) },
  { code: "orphan-tool-result", line: 5, bytes: more(result("nobody", "x"), answer("Hm.")) },
  {
    code: "double-call",
    line: 5,
    bytes: toLines([
      ...CLEAN,
      ...CLEAN.slice(1, 3).map((row, at) => ({ ...row, uuid: uuidOf(5 + at), parentUuid: uuidOf(4 + at) })),
    ]),
  },
  { code: "double-result", line: 5, bytes: more(result("t1", "again"), answer("Hm.")) },
  { code: "result-before-call", line: 5, bytes: more(result("t2", "x"), call("t2", "Bash", {}), answer("Hm.")) },
  { code: "time-goes-back", line: 4, bytes: withRow(4, { timestamp: "2025-12-31T00:00:00.000Z" }) },
  { code: "later-elsewhere", line: 4, bytes: withRow(4, { timestamp: "2025-12-31T00:00:00.000Z" }) },
  { code: "preserved-records", line: 5, bytes: more(...preserving()) },
  { code: "missing-preserved", line: 5, bytes: more(...preserving("gone")) },
  { code: "equal-times", line: 2, bytes: withRow(2, { timestamp: "2026-01-01T00:00:00.000Z" }) },
];

function leafAt(line: number): string {
  return toLines([{ type: "last-prompt", leafUuid: uuidOf(line) }]);
}

function boundary(): Row {
  return { type: "system", subtype: "compact_boundary", parentUuid: null, logicalParentUuid: uuidOf(4) };
}

/** As 2.1.325 compacts: what stays in the context is only named. */
function preserving(kept = uuidOf(4)): Row[] {
  const compactMetadata = { preservedMessages: { anchorUuid: uuidOf(6), uuids: [kept] } };
  return [
    { type: "system", subtype: "compact_boundary", parentUuid: null, logicalParentUuid: uuidOf(4), compactMetadata },
    prompt("This session is being continued", { isCompactSummary: true }),
  ];
}

/** As clients since 2.1.29 write parallel calls: each result hangs on its own call. */
function forkedResults(): string {
  const block = (id: string) => [{ type: "tool_use", id, name: "Read", input: {} }];
  return toLines(
    chain(
      prompt("go"),
      assistant("m1", block("t1"), { stopReason: "tool_use" }),
      assistant("m1", block("t2"), { stopReason: "tool_use" }),
      result("t1", "a", { parentUuid: uuidOf(2) }),
      result("t2", "b", { parentUuid: uuidOf(3) }),
      answer("Done."),
    ),
  );
}

export const SESSION_FILE = `${SESSION_ID}.jsonl`;
