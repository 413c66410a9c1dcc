/**
 * `error`: something is lost, or the session cannot be resumed as it is. `warning`: it contradicts itself, or some client
 * or the API would lose or refuse a part. `info`: worth knowing; clients write it themselves or take it in their stride.
 */
export type Severity = "error" | "warning" | "info";

interface ProblemKind {
  readonly severity: Severity;
  readonly message: (detail: string) => string;
  readonly fix: string | null; // null: there is nothing to do
}

const REPAIR = "`turnlog repair` writes a mended copy";

/** Everything that `verify` can find. What clients do was measured with 2.0.50, 2.1.45, 2.1.325 and Agent SDK 0.3.325. */
export const PROBLEM_CODES = {
  "empty-file": info(() => "the file is empty; clients do not list it"),
  "not-uuid-name": {
    severity: "warning",
    message: (name) => `the file is named "${name}"; clients resume only sessions that are named by a UUID`,
    fix: "`turnlog clone` gives it a name that clients accept",
  },

  "broken-line": error((reason) => `this line cannot be read: ${reason}`, `${REPAIR} without it`),
  "truncated-last-line": error(
    () => "the last line is cut off; 2.1.45 glues the next line to it",
    `wait if the session is still running, else ${REPAIR} without it`,
  ),
  "glued-line": error(
    (count) => `${count} records stand on one line; clients read none of them`,
    `${REPAIR} with a line for each`,
  ),
  "no-final-newline": warning(
    () => "the last line has no newline; 2.1.45 glues the next line to it",
    `${REPAIR} that ends with one`,
  ),
  "byte-order-mark": info(() => "the file starts with a byte order mark"),
  crlf: info(() => "lines end with CR LF, from this line on or in part"),
  "nul-bytes": warning((count) => `${count} NUL bytes in this line, as a crash leaves them`, `${REPAIR} without them`),
  "invalid-utf8": warning(
    () => "bytes that are not UTF-8; they are read as U+FFFD",
    "nothing can restore them; a copy keeps the line as it is",
  ),
  "lone-surrogate": warning(
    () => "half of a surrogate pair; the API refuses such text",
    `${REPAIR} with U+FFFD in its place`,
  ),
  "oversized-line": info((bytes) => `this line has ${bytes} bytes; only its beginning was checked`),

  "unknown-type": info((type) => `records of the unknown type "${type}"`),
  "wrong-type": warning((detail) => detail, REPAIR),
  "missing-uuid": error(() => "a message without uuid; clients lose the history", REPAIR),
  "missing-parent-field": error(
    () => "a message that does not name its parent; clients lose what stands before it",
    REPAIR,
  ),
  "missing-timestamp": error(
    () =>
      "a message without timestamp; 2.1.325 does not find such a session, older clients read its first message only",
    REPAIR,
  ),
  "invalid-timestamp": error((text) => `"${text}" is no time`, REPAIR),
  "missing-session-id": info(() => "a message without session id"),
  "session-id-differs": info((id) => `records of session ${id}, as in a copied or continued history`),
  "missing-message-id": warning(
    () => "an answer without message id; 2.1.45 and 2.1.325 merge it with others in a damaged order",
    REPAIR,
  ),

  "string-answer": warning(
    () => "an answer whose content is a string; 2.0.50 and 2.1.45 cannot resume it",
    `${REPAIR} with a list of blocks`,
  ),
  "empty-text": warning(
    () => "an empty text block in an answer; 2.0.50 sends it, and the API refuses it",
    `${REPAIR} without it`,
  ),
  "unsigned-thinking": warning(
    () => "thinking without its signature; the API refuses it",
    `${REPAIR} without the block`,
  ),
  "hollow-thinking": info(() => "thinking whose text is empty"),
  "extra-block-field": warning(
    (name) => `the unknown field "${name}" inside a content block; clients send it, and the API refuses it`,
    `${REPAIR} without it`,
  ),
  "stop-without-call": warning(
    () => "a message that stopped to use a tool, without a tool call",
    "remove the stop reason, or restore the call from the original",
  ),
  "stale-usage": warning(
    (tokens) => `the last message counts ${tokens} tokens of context, far more than is left; clients compact at once`,
    `${REPAIR} with the count corrected`,
  ),

  "duplicate-line": info((line) => `the same record as in line ${line}`),
  "duplicate-uuid": warning(
    (line) => `the uuid of line ${line} with other content; the later content is used`,
    `${REPAIR} with one of them`,
  ),
  "missing-parent": error(
    (uuid) => `its parent ${uuid} is not in the file; 2.0.50, 2.1.45 and the Agent SDK lose what stands before it`,
    `${REPAIR} that continues at the nearest record`,
  ),
  "missing-first-parent": info((uuid) => `the first message names a parent, ${uuid}, that is not in the file`),
  "parent-cycle": error(() => "its parents lead back to itself; 2.0.50 hangs", `${REPAIR} with the circle cut`),
  "self-parent": error(() => "it is its own parent; 2.0.50 hangs", `${REPAIR} with the circle cut`),
  "child-before-parent": info((line) => `stands before its parent in line ${line}`),
  "several-roots": warning(
    (line) => `a second beginning, after the one in line ${line}; clients resume one of them only`,
    "`turnlog show --branch all` shows both",
  ),
  "unknown-type-in-chain": warning(
    () => "an unknown type inside the conversation; 2.0.50, 2.1.45 and the Agent SDK lose what stands before it",
    "resume with a client that knows the type, or `turnlog clone`",
  ),
  "progress-in-chain": info(
    (count) => `progress records inside the conversation (${count}); 2.0.50 loses what stands before them`,
  ),
  "forked-results": info(() => "results of parallel calls hang beside each other; 2.0.50 and 2.1.45 lose one pair"),
  "unresolved-leaf": warning(
    (uuid) => `the last-prompt record points at ${uuid}, which is not in the file`,
    `${REPAIR} without the pointer`,
  ),
  "all-sidechain": error(
    () => "every message is marked as a sub-agent's; clients do not find such a session",
    "name the file agent-<id>.jsonl if it is one, else clear the marks",
  ),
  "user-line-last": info(() => "no answer follows the last input; a resuming client adds one of its own"),

  "orphan-tool-use": warning(
    (call) => `${call} has no result; 2.0.50 and 2.1.45 drop the call, 2.1.325 adds an error`,
    `${REPAIR} with a result that says so`,
  ),
  "pending-tool-use": info((call) => `${call} has no result; it may still be running`),
  "orphan-tool-result": error(
    (id) => `a result for ${id}, which nobody called; 2.0.50 and 2.1.45 send it, and the API refuses the session`,
    `${REPAIR} without it`,
  ),
  "double-result": warning((id) => `another result for ${id}`, `${REPAIR} with the last that is no error`),
  "result-before-call": warning((id) => `the result for ${id} stands before the call`, `${REPAIR} in order`),

  "time-goes-back": info((time) => `earlier than the record before it, which is of ${time}`),
  "equal-times": warning(
    () => "the same time as the prompt that it answers; 2.0.50 and 2.1.45 drop such an answer",
    `${REPAIR} a millisecond later`,
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
