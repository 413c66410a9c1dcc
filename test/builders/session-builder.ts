import { parseRecords } from "../../src/format/reader/record-reader.js";
import type { LogRecord } from "../../src/format/record/record.js";
import { describeSession, type Session } from "../../src/session/describe-session.js";

/** One line of a session file. What a test sets always wins over what `writeLines`, `chain` and `session` fill in. */
export type Row = Readonly<Record<string, unknown>>;

/** One event: a record, or several that Claude Code writes together. A record with `uuid: null` gets no place in the chain. */
export type Draft = Row | readonly Row[];

/** Stands for the uuid of the record before, where another field than `parentUuid` needs it. */
const PREVIOUS = "<previous>";

export const SESSION_ID = "11111111-1111-4111-8111-111111111111";

/** What Claude Code would have written for these events, one after the other, then understood. */
export function understand(drafts: readonly Draft[]): Session {
  return describeSession(parseRecords(`${writeLines(drafts).join("\n")}\n`));
}

/** Records are named u1, u2, … in the order of writing, messages m1, m2, … by their draft. */
export function writeLines(drafts: readonly Draft[]): string[] {
  let previous: string | null = null;
  let count = 0;
  return drafts.flatMap((draft, index) =>
    rowsOf(draft).map((row) => {
      if (row["uuid"] === null) return JSON.stringify({ ...row, uuid: undefined, timestamp: timeAt(count) });
      count += 1;
      const written = fillRow(row, { uuid: `u${count}`, previous, time: timeAt(count), messageId: `m${index + 1}` });
      if (!row["isSidechain"]) previous = String(written["uuid"]);
      return JSON.stringify(written);
    }),
  );
}

interface Identity {
  readonly uuid: string;
  readonly previous: string | null;
  readonly time: string;
  readonly messageId: string;
}

function fillRow(row: Row, { uuid, previous, time, messageId }: Identity): Row {
  return {
    parentUuid: previous,
    sessionId: "s1",
    version: "2.1.325",
    ...withMessage(row, { id: messageId, model: "claude-sonnet-4-5", usage: { input_tokens: 3, output_tokens: 20 } }),
    ...(row["logicalParentUuid"] === PREVIOUS ? { logicalParentUuid: previous ?? undefined } : {}),
    uuid: row["uuid"] ?? uuid,
    timestamp: time,
  };
}

/** Real-looking ids: every row continues the one before it, a second later. */
export function chain(...rows: readonly Row[]): Row[] {
  return rows.map((row, index) => ({
    uuid: uuidOf(index + 1),
    parentUuid: index === 0 ? null : uuidOf(index),
    timestamp: timeAt(index),
    sessionId: SESSION_ID,
    version: "2.1.325",
    isSidechain: false,
    ...withOwnMessage(row),
  }));
}

export function uuidOf(number: number): string {
  return `aaaaaaaa-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

export function toLines(rows: readonly Row[]): string {
  return rows.map((row) => `${JSON.stringify(withOwnMessage(row))}\n`).join("");
}

/** The records of these rows, each continuing the one before it, through the parser. */
export function session(...rows: readonly Row[]): LogRecord[] {
  return parseRecords(sessionText(...rows));
}

export function sessionText(...rows: readonly Row[]): string {
  return toLines(
    rows.map((row, at) => ({
      uuid: `u${at + 1}`,
      parentUuid: at === 0 ? null : (rows[at - 1]?.["uuid"] ?? `u${at}`),
      timestamp: new Date(Date.UTC(2026, 0, 1, 12, 0, at)).toISOString(),
      ...withMessage(row, { model: "claude-x" }),
    })),
  );
}

/** The rest of an assistant's message: fields that the row leaves out. */
function withMessage(row: Row, filled: Row): Row {
  const { type, message } = row;
  return type === "assistant" && isObject(message) ? { ...row, message: { ...filled, ...message } } : row;
}

/** Only for messages that `assistant` made: one that a test wrote by hand may lack a field on purpose. */
function withOwnMessage(row: Row): Row {
  const { message } = row;
  if (!isObject(message) || message["type"] !== "message") return row;
  const [block] = Array.isArray(message["content"]) ? message["content"] : [];
  const id = isObject(block) ? `msg-${block["text"] ?? block["id"]}` : "msg";
  return withMessage(row, { id, model: "claude-x", usage: { input_tokens: 3, output_tokens: 40 } });
}

const isObject = (value: unknown): value is Row => typeof value === "object" && value !== null;

function timeAt(second: number): string {
  return new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString();
}

export function rowsOf(draft: Draft): readonly Row[] {
  return isRows(draft) ? draft : [draft];
}

const isRows = (draft: Draft): draft is readonly Row[] => Array.isArray(draft);

export function prompt(content: unknown, more: Row = {}): Row {
  return { type: "user", message: { role: "user", content }, ...more };
}

export function answer(text: string, more: Row = {}): Row {
  return assistant(undefined, [textBlock(text)], { stopReason: "end_turn", ...more });
}

/** Without an id, the message gets one where it is written. */
export function assistant(
  id: string | undefined,
  content: unknown,
  more: Row & { readonly stopReason?: string | null } = {},
): Row {
  const { stopReason, ...rest } = more;
  const message = {
    ...(id === undefined ? {} : { id }),
    type: "message",
    role: "assistant",
    content,
    ...(stopReason === undefined ? {} : { stop_reason: stopReason }),
  };
  return { type: "assistant", message, ...rest };
}

export function call(id: string, name: string, input: unknown, more: Row = {}): Row {
  return assistant(`msg-${id}`, [callBlock(id, input, name)], { stopReason: "tool_use", ...more });
}

export function result(id: string, content: unknown, more: Row & { readonly isError?: boolean } = {}): Row {
  const { isError, ...rest } = more;
  return prompt([resultBlock(id, content, isError ? { is_error: true } : {})], rest);
}

/** Parallel calls of one message, a record each, as Claude Code writes them. */
export function toolUses(...ids: readonly string[]): Draft {
  return ids.map((id) => assistant(undefined, [callBlock(id, { command: id })], { stopReason: "tool_use" }));
}

/** One call of any tool and its result, with what Claude Code noted about it. */
export function calledTool(name: string, input: unknown, text: string, noted: unknown): readonly Draft[] {
  const id = `call-${name}`;
  return [
    assistant(undefined, [callBlock(id, input, name)], { stopReason: "tool_use" }),
    { ...resultFor(id, text), toolUseResult: noted },
  ];
}

export function resultFor(id: string, text = "fine", isError = false): Row {
  return result(id, text, { isError, toolUseResult: { stdout: text } });
}

export function interrupt(): Row {
  return prompt([textBlock("[Request interrupted by user]")]);
}

export function command(name: string): Row {
  return prompt(`<command-name>/${name}</command-name><command-args></command-args>`);
}

export function commandOutput(text: string): Row {
  return prompt(`<local-command-stdout>${text}</local-command-stdout>`);
}

export function compaction(): Draft {
  const content = "This session is being continued from a previous conversation";
  return [compactBoundary(), prompt(content, { isCompactSummary: true })];
}

export function compactBoundary(): Row {
  const compactMetadata = { trigger: "auto", preTokens: 1000 };
  return system("compact_boundary", { parentUuid: null, logicalParentUuid: PREVIOUS, compactMetadata });
}

export function system(subtype: string, fields: Row = {}): Row {
  return { type: "system", subtype, ...fields };
}

export function turnDuration(): Row {
  return system("turn_duration", { durationMs: 1000 });
}

export function attachment(type = "environment", fields: Row = {}, outer: Row = {}): Row {
  return { type: "attachment", attachment: { type, ...fields }, ...outer };
}

export function queuedPrompt(text: string): Row {
  return attachment("queued_command", { commandMode: "prompt", prompt: text });
}

export function progress(): Row {
  return { type: "progress", data: { type: "hook_progress" } };
}

export function queueOperation(operation: string, content?: string): Row {
  return { type: "queue-operation", operation, content, uuid: null };
}

export function leafHint(uuid: string): Row {
  return { type: "last-prompt", leafUuid: uuid, lastPrompt: "hint", uuid: null };
}

export function title(text: string): Row {
  return { type: "custom-title", customTitle: text, uuid: null };
}

/** The same event, continuing somewhere else than after the record before: a rewind, a fork, a lost parent. */
export function continuing(parentUuid: string | null, draft: Draft): Draft {
  return rowsOf(draft).map((row, index) => (index === 0 && row["uuid"] !== null ? { ...row, parentUuid } : row));
}

/** The same event inside a sub-agent. */
export function inSidechain(agentId: string, draft: Draft): Draft {
  return rowsOf(draft).map((row) => ({ ...row, isSidechain: true, agentId }));
}

export function textBlock(text: string): Row {
  return { type: "text", text };
}

export function thinkingBlock(thinking: string, signature = `signed ${thinking}`): Row {
  return { type: "thinking", thinking, signature };
}

export function callBlock(id: string, input: unknown = {}, name = "Bash"): Row {
  return { type: "tool_use", id, name, input };
}

export function resultBlock(id: string, content: unknown = `done ${id}`, fields: Row = {}): Row {
  return { type: "tool_result", tool_use_id: id, content, ...fields };
}
