import { join } from "node:path";
import { expect, test } from "vitest";
import { readChunks, readRecords } from "../../src/format/reader/record-reader.js";
import { loadSession } from "../../src/library/load/load-session.js";
import { describeSession } from "../../src/session/describe-session.js";
import { verifySession } from "../../src/session/verify/verify-session.js";

const TEST = join(import.meta.dirname, "..");

/** A session in a few words: each turn as `kind prompt: messages`, with what stands beside it. */
function inShort(file: string) {
  const { session, turns, branches, totals, warnings, compactions } = describeSession([
    ...readRecords(join(TEST, file)),
  ]);
  return {
    title: session.title,
    turns: turns.map(({ kind, prompt, messages }) => `${kind} ${prompt}: ${messages.length}`),
    calls: turns.flatMap(({ toolCalls }) => toolCalls.map(({ status }) => status)).join(" "),
    followUps: turns.flatMap(({ followUps }) => followUps.map(({ prompt }) => prompt)),
    locals: turns.flatMap(({ locals }) => locals.map(({ prompt }) => prompt)),
    notices: turns.flatMap(({ notices }) => notices.filter(({ kind }) => kind !== "injected").map(({ text }) => text)),
    dead: branches.dead.map(({ turns: count }) => count),
    output: totals.usage.output,
    warnings: warnings.map(({ code }) => code),
    compactions: compactions.length,
  };
}

test.each([
  ["a message queued with the words of an earlier prompt", "q-same-text", { followUps: ["continue"] }],
  ["a message that was delivered on a rewound branch", "q-deadbranch", { followUps: [], dead: [1] }],
  ["a command behind an IDE context", "ide-then-command", { turns: ["command /review all: 1"] }],
  ["a notification behind an IDE context", "ide-then-notif", { turns: ["prompt go: 1", "notification S: 1"] }],
  ["empty message ids", "empty-msgid", { turns: ["prompt go: 1", "prompt again: 1"], output: 40 }],
  ["message ids that are null", "null-msgid-reqid", { turns: ["prompt go: 1", "prompt again: 1"], output: 40 }],
  ["a line that was rewritten", "dup-uuid-rewrite", { output: 20, warnings: ["duplicate-uuid"] }],
  ["a line that was rewritten in the same length", "dup-uuid-samelen", { warnings: ["duplicate-uuid"] }],
  ["a summary of a rewound branch", "summary-dead-leaf", { title: "Dead title" }],
  ["a result that comes last of all", "late-result", { turns: ["prompt go: 2", "prompt next: 1"], dead: [] }],
  ["output that speaks of an interrupt", "interrupt-output", { calls: "error" }],
  ["an error and then the real result", "double-result", { calls: "ok" }],
  ["words beside a tool result", "attached-text", { notices: ["ATTACHEDWORDS by user"] }],
  ["a prompt that no person gave", "nothuman-text", { turns: ["prompt go: 2"], notices: ["PEERTEXT"] }],
  ["a notification that nobody answered", "unanswered-notif", { turns: ["prompt go: 1"] }],
  ["a system line of an unknown kind", "sys-unknown", { notices: ["SYSWORDS"] }],
  ["what a hook printed", "hook", { notices: ["HOOKOUT"] }],
  [
    "a summary without a boundary",
    "compact-summary-only",
    { compactions: 1, turns: ["prompt old: 1", "prompt new: 1"] },
  ],
  ["a leaf hint that holds", "leaf-hint-branch", { turns: ["prompt go: 1", "prompt p2: 1"], dead: [1] }],
  ["a leaf hint of zeros", "zero-leaf", { turns: ["prompt go: 1", "prompt p2: 1"], dead: [] }],
  ["an unknown type in the chain", "unknown-type-node", { turns: ["prompt go: 1"], warnings: [] }],
])("%s is understood", (_what, file, expected) => {
  expect(inShort(`crafted/${file}.jsonl`)).toMatchObject(expected);
});

const STREAMED = [
  "prompt [[hello]] first by stream: 1",
  "prompt [[par4]] see the image: 2",
  "prompt : 1",
  "prompt two texts\n[[hello]] second text: 1",
  "prompt [[hello]] resumed by stream: 1",
];

test.each([
  ["2.0.76 writes the history again on resume", "resumed-copy-2.0.76", { turns: STREAMED, calls: "ok ok ok ok" }],
  ["2.1.29 does so in the middle of a branch", "resumed-copy-2.1.29", { turns: STREAMED, calls: "ok ok ok ok" }],
  ["2.1.61 tells of small compactions", "microcompact-2.1.61", { turns: STREAMED, compactions: 0 }],
  ["2.1.120 writes commands without tags", "bare-local-commands-2.1.120", { locals: ["/help", "/model"] }],
  [
    "2.1.61 absorbs two queued messages",
    "two-queued-messages-2.1.61",
    { followUps: ["queued while busy A", "queued while busy B"] },
  ],
  ["2.1.260 forks a compacted session", "fork-of-compacted-2.1.260", { warnings: [], dead: [] }],
])("%s, and is understood", (_what, file, expected) => {
  expect(inShort(`recorded/${file}.jsonl`)).toMatchObject(expected);
});

test("a fork of a compacted session has no errors", () => {
  const file = join(TEST, "recorded/fork-of-compacted-2.1.260.jsonl");
  expect(verifySession(readChunks(file), "11111111-1111-4111-8111-111111111111.jsonl").ok).toBe(true);
});

test("warm-up agents with a prompt of their own (2.0.76) are warm-ups, and belong to the session that was written", () => {
  const folder = join(TEST, "recorded/warm-up-agents-2.0.76");
  const agents = loadSession(join(folder, "fe445c5e-751e-411f-8054-f36849484328.jsonl")).subagents();
  const ofEmpty = loadSession(join(folder, "5e2ac9f6-81af-4f68-a7b7-5cc931f24cad.jsonl")).subagents();
  expect(agents.map(({ warmup }) => warmup)).toEqual(agents.map(() => true));
  expect(agents.length).toBeGreaterThan(2);
  expect(ofEmpty).toEqual([]);
});
