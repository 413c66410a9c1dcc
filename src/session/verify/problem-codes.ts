/**
 * `error`: something is lost, or the session cannot be resumed as it is. `warning`: it is inconsistent, or some version of
 * Claude Code or the API would lose or refuse a part. `info`: Claude Code writes it itself, or handles it.
 */
export type Severity = "error" | "warning" | "info";

interface ProblemKind {
  readonly severity: Severity;
  readonly message: (detail: string) => string;
  readonly fix: string | null; // null: there is nothing to do
}

/** Versions of Claude Code that were measured, oldest first; `sdk` is Agent SDK 0.3.325. */
export type MeasuredVersion = "2.0.50" | "2.1.45" | "2.1.325" | "sdk";

const ALL: readonly MeasuredVersion[] = ["2.0.50", "2.1.45", "2.1.325", "sdk"];
const OLD: readonly MeasuredVersion[] = ["2.0.50", "2.1.45"];
const OLD_AND_SDK: readonly MeasuredVersion[] = ["2.0.50", "2.1.45", "sdk"];
const WITHOUT_SDK: readonly MeasuredVersion[] = ["2.0.50", "2.1.45", "2.1.325"];

/** A context that even 2.1.325 takes for full; one of 950,000 tokens it does not. */
const FULL_FOR_ALL = 985_000;

/** Which versions lose a part, refuse the session, hang, or send what the API refuses. */
export function affectedVersions(code: ProblemCode, detail: string | number): readonly MeasuredVersion[] {
  return code === "stale-usage" && Number(detail) >= FULL_FOR_ALL ? WITHOUT_SDK : (AFFECTED[code] ?? []);
}

const AFFECTED: Readonly<Partial<Record<string, readonly MeasuredVersion[]>>> = {
  "empty-file": ALL,
  "no-conversation": WITHOUT_SDK,
  "not-uuid-name": ALL,
  "other-folder": OLD,
  "truncated-last-line": ["2.1.45"],
  "no-final-newline": ["2.1.45"],
  "missing-uuid": ALL,
  "missing-parent-field": ALL,
  "lone-surrogate": OLD,
  "missing-timestamp": WITHOUT_SDK,
  "missing-message-id": ["2.1.45", "2.1.325"],
  "string-answer": OLD,
  "empty-text": ["2.0.50"],
  "thinking-last": OLD,
  "thinking-alone": ["2.0.50"],
  "extra-block-field": WITHOUT_SDK,
  "stale-usage": OLD,
  "missing-parent": OLD_AND_SDK,
  "parent-cycle": ["2.0.50"],
  "self-parent": ["2.0.50"],
  "several-roots": WITHOUT_SDK,
  "answer-first": ["2.0.50", "2.1.325"],
  "unknown-type-in-chain": OLD_AND_SDK,
  "progress-in-chain": ["2.0.50"],
  "forked-results": OLD,
  "all-sidechain": ALL,
  "leaf-elsewhere": OLD_AND_SDK,
  "orphan-tool-use": OLD,
  "pending-tool-use": OLD,
  "orphan-tool-result": OLD,
  "double-call": OLD,
  "double-result": OLD,
  "equal-times": OLD,
  "later-elsewhere": OLD,
  "preserved-records": OLD,
  "missing-preserved": ["2.1.325", "sdk"],
  "resumes-empty": OLD_AND_SDK,
};

/** turnlog never changes a session in place. */
const IN_A_COPY = "in a copy of the file";
const CUT_CIRCLE = `name the record before it as its parent ${IN_A_COPY}`;

/** Everything that `verify` can find. What Claude Code does was measured with 2.0.50, 2.1.45, 2.1.325 and Agent SDK 0.3.325. */
export const PROBLEM_CODES = {
  "empty-file": info(() => "the file is empty; Claude Code does not list it"),
  "no-conversation": info(() => "no message in the file; Claude Code does not list such a session"),
  "other-folder": info(
    (cwd) => `not in the folder of ${cwd}, where it was recorded; from there 2.0.50 and 2.1.45 do not find it`,
  ),
  "not-uuid-name": {
    severity: "warning",
    message: (name) => `the file is named "${name}"; Claude Code resumes only sessions that are named by a UUID`,
    fix: "name a copy of it by a UUID",
  },

  "broken-line": error((reason) => `this line cannot be read: ${reason}`, `remove it ${IN_A_COPY}`),
  "truncated-last-line": error(
    () => "the last line is cut off; 2.1.45 appends the next record to it",
    `wait if the session is still running, else remove it ${IN_A_COPY}`,
  ),
  "glued-line": error(
    (count) => `${count} records on one line; Claude Code reads none of them`,
    `give each a line of its own ${IN_A_COPY}`,
  ),
  "no-final-newline": warning(
    () => "the last line has no newline; 2.1.45 appends the next record to it",
    `add one ${IN_A_COPY}`,
  ),
  "byte-order-mark": info(() => "the file starts with a byte order mark"),
  crlf: info(() => "lines end with CR LF; this is the first one"),
  "nul-bytes": warning(
    (count) => `${count} NUL bytes in this line, as a crash leaves them`,
    `remove them ${IN_A_COPY}`,
  ),
  "invalid-utf8": warning(
    () => "bytes that are not UTF-8; they are read as U+FFFD",
    "nothing can restore them; a copy keeps the line as it is",
  ),
  "lone-surrogate": warning(
    () => "half of a surrogate pair; the API refuses such text",
    `put U+FFFD in its place ${IN_A_COPY}`,
  ),
  "oversized-line": info((bytes) => `this line has ${bytes} bytes; only its beginning was checked`),

  "unknown-type": info((type) => `records of the unknown type "${type}"`),
  "wrong-type": warning((detail) => detail, `correct it ${IN_A_COPY}`),
  "missing-uuid": error(() => "a message without uuid; Claude Code loses the history", `give it one ${IN_A_COPY}`),
  "missing-parent-field": error(
    () => "a message that does not name its parent; Claude Code loses everything before it",
    `name the message before it ${IN_A_COPY}`,
  ),
  "missing-timestamp": error(
    () =>
      "a message without timestamp; 2.1.325 does not list such a session, older versions read its first message only",
    `use the time of an adjacent record ${IN_A_COPY}`,
  ),
  "invalid-timestamp": error(
    (text) => `"${text}" is not a valid time`,
    `use the time of an adjacent record ${IN_A_COPY}`,
  ),
  "missing-session-id": info(() => "a message without session id"),
  "session-id-differs": info((id) => `records of session ${id}, as in a copied or continued history`),
  "missing-message-id": warning(
    () => "an answer without message id; 2.1.45 and 2.1.325 merge it with others in a damaged order",
    `give it one of its own ${IN_A_COPY}`,
  ),

  "string-answer": warning(
    () => "an answer whose content is a string; 2.0.50 and 2.1.45 cannot resume it",
    `make it a list with one text block ${IN_A_COPY}`,
  ),
  "empty-text": warning(
    () => "an empty text block in an answer; 2.0.50 sends it, and the API refuses it",
    `remove it ${IN_A_COPY}`,
  ),
  "unsigned-thinking": warning(
    () => "thinking without its signature; the API refuses it",
    `remove the block ${IN_A_COPY}`,
  ),
  "hollow-thinking": info(() => "thinking whose text is empty"),
  "thinking-last": warning(
    () => "a message that ends with thinking; 2.0.50 and 2.1.45 send it, and the API refuses it",
    `remove the block ${IN_A_COPY}`,
  ),
  "thinking-alone": info(
    () => "a message with only thinking, typical of an interruption; 2.0.50 sends it, and the API refuses it",
  ),
  "extra-block-field": warning(
    (name) => `the unknown field "${name}" inside a content block; Claude Code sends it, and the API refuses it`,
    `remove it ${IN_A_COPY}`,
  ),
  "stop-without-call": warning(
    () => "a message that stopped to use a tool, without a tool call",
    "remove the stop reason, or restore the call from the original",
  ),
  "stale-usage": warning(
    (tokens) =>
      `the last message counts ${tokens} tokens of context, far more than the file holds; Claude Code compacts at once`,
    `set its token counts to 0 ${IN_A_COPY}`,
  ),

  "duplicate-line": info((line) => `the same record as in line ${line}`),
  "duplicate-uuid": warning(
    (line) => `the uuid of line ${line} with other content; the later content is used`,
    `keep one of them ${IN_A_COPY}`,
  ),
  "missing-parent": error(
    (uuid) => `its parent ${uuid} is not in the file; 2.0.50, 2.1.45 and the Agent SDK lose everything before it`,
    `name the nearest record before it as its parent ${IN_A_COPY}`,
  ),
  "missing-first-parent": info((uuid) => `the first message names a parent, ${uuid}, that is not in the file`),
  "parent-cycle": error(() => "its parents lead back to itself; 2.0.50 hangs", CUT_CIRCLE),
  "self-parent": error(() => "it is its own parent; 2.0.50 hangs", CUT_CIRCLE),
  "child-before-parent": info((line) => `precedes its parent in line ${line}`),
  "several-roots": warning(
    (line) => `a second root, after the one in line ${line}; Claude Code resumes only one of them`,
    "`turnlog show --branch all` shows both",
  ),
  "answer-first": warning(
    () => "the conversation begins with an answer; 2.0.50 and 2.1.325 send it, and the API refuses it",
    `remove the answer, or restore the prompt from the original, ${IN_A_COPY}`,
  ),
  "unknown-type-in-chain": warning(
    () => "an unknown type inside the conversation; 2.0.50, 2.1.45 and the Agent SDK lose everything before it",
    "resume with a version of Claude Code that knows the type",
  ),
  "progress-in-chain": info(
    (count) => `progress records inside the conversation (${count}); 2.0.50 loses everything before them`,
  ),
  "forked-results": info(
    (count) => `results of parallel calls are siblings (${count} times); 2.0.50 and 2.1.45 lose one pair`,
  ),
  "preserved-records": info(
    (count) => `a compaction preserves records from before it (${count}); 2.0.50 and 2.1.45 omit them`,
  ),
  "missing-preserved": error(
    (count) =>
      `a compaction preserves records that are not in the file (${count}); Claude Code resumes without any of them`,
    "restore them from the original, or from the archive",
  ),
  "resumes-empty": info(
    () =>
      "the last-prompt record leaves nothing of the conversation; since 2.1.301 it resumes empty, older versions and the Agent SDK resume everything",
  ),
  "unresolved-leaf": warning(
    (uuid) => `the last-prompt record points at ${uuid}, which is not in the file`,
    `remove the pointer ${IN_A_COPY}`,
  ),
  "leaf-elsewhere": info(
    (line) =>
      `the last-prompt record makes line ${line} the end for 2.1.325; 2.0.50 and 2.1.45 end at the latest time, the Agent SDK at the last record`,
  ),
  "all-sidechain": error(
    () => "every message is marked as a sub-agent's; Claude Code does not list such a session",
    "name the file agent-<id>.jsonl if it is one, else clear the marks",
  ),
  "user-line-last": info(() => "no answer follows the last input; Claude Code adds a placeholder when it resumes"),

  "orphan-tool-use": warning(
    (call) => `${call} has no result; 2.0.50 and 2.1.45 drop the call, 2.1.325 adds an error`,
    `add an error result ${IN_A_COPY}`,
  ),
  "pending-tool-use": info(
    (call) => `${call} has no result; it may still be running, else 2.0.50 and 2.1.45 drop the call`,
  ),
  "orphan-tool-result": error(
    (id) => `a result for ${id} without a call; 2.0.50 and 2.1.45 send it, and the API refuses the session`,
    `remove it ${IN_A_COPY}`,
  ),
  "double-call": warning(
    (call) =>
      `${call} occurs twice, because the history was written again; 2.0.50 and 2.1.45 send both, and the API refuses them`,
    `keep one of them ${IN_A_COPY}`,
  ),
  "double-result": warning((id) => `another result for ${id}`, `keep the last one without an error ${IN_A_COPY}`),
  "result-before-call": warning(
    (id) => `the result for ${id} precedes its call`,
    `move it after the call ${IN_A_COPY}`,
  ),

  "time-goes-back": info((count) => `earlier than the record before it (${count} times in this file)`),
  "later-elsewhere": info(
    (line) =>
      `the last message; the message with the latest time is in line ${line}, and 2.0.50 and 2.1.45 end the session there`,
  ),
  "equal-times": warning(
    () => "the same time as the prompt that it answers; 2.0.50 and 2.1.45 drop such an answer",
    `set its time a millisecond later ${IN_A_COPY}`,
  ),
} as const satisfies Readonly<Record<string, ProblemKind>>;

export type ProblemCode = keyof typeof PROBLEM_CODES;

function error(message: ProblemKind["message"], fix: string): ProblemKind {
  return { severity: "error", message, fix };
}

function warning(message: ProblemKind["message"], fix: string): ProblemKind {
  return { severity: "warning", message, fix };
}

function info(message: ProblemKind["message"]): ProblemKind {
  return { severity: "info", message, fix: null };
}
