import { basename, join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { COMMANDS } from "../../../src/cli/registry.js";
import { LineSplitter, parseRecords, readChunks } from "../../../src/format/reader/record-reader.js";
import { openSession } from "../../../src/session/open-session.js";
import { PROBLEM_CODES } from "../../../src/session/verify/problem-codes.js";
import { createVerifier, type VerifyReport, verifySession } from "../../../src/session/verify/verify-session.js";
import { chain, prompt, type Row, toLines, uuidOf } from "../../builders/session-builder.js";
import { CORPUS, corpusSessions } from "../../oracle/corpus-sessions.js";
import { runs } from "../../runs.js";
import { hostileRows } from "../hostile-rows.js";
import { CLEAN, FILE_CASES, GRAPH_CASES, RECORD_CASES, SESSION_FILE, type VerifyCase } from "./verify-cases.js";

function verifyBytes(bytes: string | Buffer, fileName = SESSION_FILE, folder?: string): VerifyReport {
  return verifySession([Buffer.from(bytes)], fileName, folder);
}

const verifyRows = (rows: readonly Row[]) => verifyBytes(toLines(rows));
const verifyRecorded = (name: string) => verifySession(readChunks(join(CORPUS, name)), basename(name));
const codesOf = ({ problems }: VerifyReport) => [...new Set(problems.map(({ code }) => code))].sort();

const DURATION = { type: "system", subtype: "turn_duration", durationMs: 1 };
const leafAt = (line: number) => toLines([{ type: "last-prompt", leafUuid: uuidOf(line) }]);

const CASES: readonly VerifyCase[] = [...FILE_CASES, ...RECORD_CASES, ...GRAPH_CASES];

describe("verify", () => {
  test("finds nothing in a clean session", () => {
    expect(verifyRows(CLEAN)).toEqual({ ok: true, problems: [], unlisted: [] });
  });

  test.each(CASES)("finds $code in line $line", ({ code, line, bytes, fileName, folder }) => {
    const { severity } = PROBLEM_CODES[code];
    expect(verifyBytes(bytes, fileName, folder).problems).toContainEqual(
      expect.objectContaining({ code, line, severity }),
    );
  });

  test("finds an oversized line in the lines of a reader with a limit", () => {
    const verifier = createVerifier(SESSION_FILE);
    const splitter = new LineSplitter(verifier.addLine, { maxLineBytes: 1000 });
    splitter.push(Buffer.from(toLines(CLEAN.slice(0, 3))));
    splitter.push(Buffer.from(JSON.stringify({ ...CLEAN[3], cwd: "x".repeat(5000) })));
    splitter.push(Buffer.from("\n"));
    expect(verifier.finish().problems).toMatchObject([{ code: "oversized-line", line: 4 }]);
  });

  test("has a case above for every code", () => {
    const covered = new Set<string>(["oversized-line", ...CASES.map(({ code }) => code)]);
    expect(Object.keys(PROBLEM_CODES).filter((code) => !covered.has(code))).toEqual([]);
  });

  test("is ok with warnings, and not with an error", () => {
    const unnamed = verifyBytes(toLines(CLEAN), "notes.jsonl");
    const broken = verifyBytes(`rubbish\n${toLines(CLEAN)}`);
    expect([unnamed.ok, unnamed.problems.length, broken.ok]).toEqual([true, 1, false]);
  });

  test("says what to do about every error and warning", () => {
    const helpless = Object.values(PROBLEM_CODES).filter(({ severity, fix }) => severity !== "info" && !fix);
    expect(helpless).toEqual([]);
  });

  test("advises no command that does not exist", () => {
    const fixes = Object.values(PROBLEM_CODES).map(({ fix }) => fix ?? "");
    const advised = fixes.flatMap((fix) => [...fix.matchAll(/turnlog (\w+)/g)].map(([, name]) => name));
    expect(advised.filter((name) => !COMMANDS.some((command) => command.name === name))).toEqual([]);
  });

  test("tells once how often times go back", () => {
    const rows = chain(...["05", "04", "03"].map((day) => prompt("go", { timestamp: `2026-01-${day}T00:00:00.000Z` })));
    const told = verifyRows(rows).problems.filter(({ code }) => code === "time-goes-back");
    expect(told).toEqual([
      expect.objectContaining({ line: 2, message: expect.stringContaining("2 times in this file") }),
    ]);
  });

  test("lists a hundred problems of a kind and counts the rest", () => {
    const { problems, unlisted } = verifyBytes("rubbish\n".repeat(250));
    expect(problems.filter(({ code }) => code === "broken-line")).toHaveLength(100);
    expect(unlisted).toEqual([{ code: "broken-line", severity: "error", count: 150 }]);
  });

  test("names an unknown type once", () => {
    expect(codesAndLines(toLines(CLEAN) + toLines([{ type: "future" }, { type: "future" }]))).toEqual([
      "unknown-type:5",
    ]);
  });

  test.each([
    ["a whole surrogate pair", toLines(CLEAN).replace("go", "\\ud83d\\ude00")],
    ["an escaped backslash before a u", toLines(CLEAN).replace("go", "\\\\ud83d")],
    [
      "a rewind marker as leaf",
      `${toLines(CLEAN)}{"type":"last-prompt","leafUuid":"${"0".repeat(8)}-0000-0000-0000-${"0".repeat(12)}"}\n`,
    ],
    ["a leaf that later records go on from", `${toLines(CLEAN.slice(0, 3))}${leafAt(3)}${toLines(CLEAN.slice(3))}`],
    ["a leaf below the last message", `${toLines(chain(...CLEAN, DURATION))}${leafAt(5)}`],
    ["blank lines", toLines(CLEAN).replaceAll("\n", "\n\n")],
  ])("accepts %s", (_, bytes) => {
    expect(verifyBytes(bytes).problems).toEqual([]);
  });

  test.each([
    ["recorded in part", ["/srv/shop", "/srv/other"]],
    ["of which no record tells where it was recorded", [undefined, undefined]],
  ])("accepts in its folder a session %s", (_, [one, two]) => {
    const rows = CLEAN.map((row, at) => ({ ...row, cwd: at < 2 ? one : two }));
    expect(verifyBytes(toLines(rows), SESSION_FILE, "-srv-other").problems).toEqual([]);
  });

  test.each([
    [195_000, ["2.0.50", "2.1.45"]],
    [985_000, ["2.0.50", "2.1.45", "2.1.325"]],
  ])("names the clients that take %d tokens for a full context", (tokens, versions) => {
    const usage = { input_tokens: tokens };
    const rows = CLEAN.with(3, { ...CLEAN[3], message: { id: "m", content: [], usage } });
    expect(verifyRows(rows).problems).toContainEqual(expect.objectContaining({ code: "stale-usage", versions }));
  });

  test("accepts a sub-agent's file, whose records carry the id of the session that called it", () => {
    const rows = CLEAN.map((row) => ({ ...row, isSidechain: true, agentId: "a1" }));
    expect(verifyBytes(toLines(rows), "agent-a1.jsonl").problems).toEqual([]);
  });

  test("shortens what it quotes", () => {
    const { problems } = verifyRows(chain(prompt("go", { timestamp: "x".repeat(10_000) })));
    expect(Math.max(...problems.map(({ message }) => message.length))).toBeLessThan(400);
  });

  test("reads a line by its bytes wherever the chunks end", () => {
    fc.assert(
      fc.property(fc.constantFrom(...CASES), fc.integer({ min: 1, max: 50 }), ({ bytes, fileName }, size) => {
        const whole = Buffer.from(bytes);
        const count = Math.ceil(whole.length / size);
        const chunks = Array.from({ length: count }, (_, at) => whole.subarray(at * size, (at + 1) * size));
        expect(verifySession(chunks, fileName ?? SESSION_FILE)).toEqual(verifyBytes(bytes, fileName));
      }),
      runs(100),
    );
  });

  test("never fails, and tells all that the outline warns of", () => {
    fc.assert(
      fc.property(hostileRows, (rows) => {
        const told = verifyRows(rows).problems.map(({ code, line }) => `${COMMON_CODES[code] ?? code}:${line}`);
        expect(outlineWarnings(rows).filter((warning) => !told.includes(warning))).toEqual([]);
      }),
      runs(300),
    );
  });
});

function codesAndLines(bytes: string): string[] {
  return verifyBytes(bytes).problems.map(({ code, line }) => `${code}:${line}`);
}

/** The outline makes no difference between these. */
const COMMON_CODES: Readonly<Record<string, string>> = {
  "missing-first-parent": "missing-parent",
  "self-parent": "parent-cycle",
};

function outlineWarnings(rows: readonly Row[]): string[] {
  const session = openSession();
  for (const record of parseRecords(toLines(rows))) session.push(record);
  return session.view().warnings.map(({ code, line }) => `${code}:${line}`);
}

describe("every session that a real client recorded", () => {
  const recorded = corpusSessions().filter((name) => !name.startsWith("handwritten"));

  test.each(recorded)("has neither errors nor warnings: %s", (name) => {
    expect(verifyRecorded(name).problems.filter(({ severity }) => severity !== "info")).toEqual([]);
  });
});

describe("every handwritten session", () => {
  const damaged: Readonly<Record<string, readonly string[]>> = {
    c04_drop_parentUuid: ["missing-parent-field"],
    c04_drop_sessionId: ["missing-session-id"],
    c04_drop_timestamp: ["missing-timestamp"],
    c04_drop_uuid: ["missing-parent", "missing-uuid"],
    c05_drop_msg_id: ["missing-message-id"],
    c07_pruned_unrepaired: ["missing-parent"],
    c09_no_final_newline: ["no-final-newline"],
    c09_truncated_last_asst: ["truncated-last-line", "user-line-last"],
    c10_crlf: ["crlf"],
    c10_garbage_middle: ["broken-line"],
    c11_orphan_tool_use: ["pending-tool-use"],
    c12_progress_in_chain: ["progress-in-chain"],
    c14_branches_lastprompt_points_ONE: ["leaf-elsewhere"],
    c14_branches_early_last: ["later-elsewhere", "time-goes-back"],
    c15_parallel_branch: ["forked-results"],
    c15_parallel_branchrev: ["forked-results"],
    c17_duplicated_lines: ["duplicate-line"],
    c18_dangling_root_parent: ["missing-first-parent"],
    c19_user_line_last: ["user-line-last"],
    c22_empty_file: ["empty-file"],
    "a0000003-0000-4000-8000-000000000003": ["resumes-empty"],
    "a0000004-0000-4000-8000-000000000004": ["leaf-elsewhere"],
    "a0000006-0000-4000-8000-000000000006": ["leaf-elsewhere"],
    "a0000008-0000-4000-8000-000000000008": ["user-line-last"],
    "a0000009-0000-4000-8000-000000000009": ["user-line-last"],
  };
  const handwritten = corpusSessions().filter((name) => name.startsWith("handwritten"));

  test.each(handwritten)("has exactly the damage that it was written for: %s", (name) => {
    const expected = damaged[basename(name, ".jsonl")] ?? [];
    expect(codesOf(verifyRecorded(name)).filter((code) => code !== "not-uuid-name")).toEqual(expected);
  });
});
