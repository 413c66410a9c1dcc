import { parseRecords } from "../../src/format/record-reader.js";
import { describeSession, type Session } from "../../src/session/describe-session.js";

/** The records of one event, still without identity: `writeLines` gives them uuid, parent, time and message id. */
export type Draft = readonly DraftRecord[];

interface DraftRecord {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Stands for the uuid of the record before, where another field than `parentUuid` needs it. */
const PREVIOUS = "<previous>";

/** What a client would have written for these events, one after the other, then understood. */
export function understand(drafts: readonly Draft[]): Session {
  return describeSession(parseRecords(`${writeLines(drafts).join("\n")}\n`));
}

/** Records are named u1, u2, … in the order of writing, messages m1, m2, … by their draft. */
export function writeLines(drafts: readonly Draft[]): string[] {
  let previous: string | null = null;
  let count = 0;
  return drafts.flatMap((draft, index) =>
    draft.map((record) => {
      if (record["uuid"] === null) return JSON.stringify({ ...record, uuid: undefined, timestamp: timeAt(count) });
      count += 1;
      const written = writeRecord(record, {
        uuid: `u${count}`,
        previous,
        time: timeAt(count),
        messageId: `m${index + 1}`,
      });
      if (!record["isSidechain"]) previous = String(written["uuid"]);
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

function writeRecord(record: DraftRecord, { uuid, previous, time, messageId }: Identity): Record<string, unknown> {
  const message = typeof record["message"] === "object" ? record["message"] : undefined;
  return {
    parentUuid: previous,
    sessionId: "s1",
    version: "2.1.325",
    ...record,
    ...(record["logicalParentUuid"] === PREVIOUS ? { logicalParentUuid: previous ?? undefined } : {}),
    ...(message && record.type === "assistant" ? { message: { id: messageId, ...message } } : {}),
    uuid: record["uuid"] ?? uuid,
    timestamp: time,
  };
}

function timeAt(second: number): string {
  return new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString();
}

export function prompt(text: string): Draft {
  return [{ type: "user", message: { role: "user", content: text } }];
}

export function answer(text: string): Draft {
  return [assistant({ type: "text", text }, "end_turn")];
}

/** Parallel calls of one message, a record each, as clients write them. */
export function toolUses(...ids: readonly string[]): Draft {
  return ids.map((id) => assistant({ type: "tool_use", id, name: "Bash", input: { command: id } }, "tool_use"));
}

function assistant(block: object, stopReason: string): DraftRecord {
  const usage = { input_tokens: 3, output_tokens: 20 };
  return {
    type: "assistant",
    message: { role: "assistant", model: "claude-sonnet-4-5", content: [block], stop_reason: stopReason, usage },
  };
}

/** One call of any tool and its result, with what the client noted of it. */
export function calledTool(name: string, input: unknown, text: string, noted: unknown): readonly Draft[] {
  const id = `call-${name}`;
  const [result] = resultFor(id, text);
  return [
    [assistant({ type: "tool_use", id, name, input }, "tool_use")],
    result ? [{ ...result, toolUseResult: noted }] : [],
  ];
}

export function resultFor(id: string, text = "fine", isError = false): Draft {
  const block = { type: "tool_result", tool_use_id: id, content: text, ...(isError ? { is_error: true } : {}) };
  return [{ type: "user", message: { role: "user", content: [block] }, toolUseResult: { stdout: text } }];
}

export function interrupt(): Draft {
  return [
    { type: "user", message: { role: "user", content: [{ type: "text", text: "[Request interrupted by user]" }] } },
  ];
}

export function command(name: string): Draft {
  return prompt(`<command-name>/${name}</command-name><command-args></command-args>`);
}

export function commandOutput(text: string): Draft {
  return prompt(`<local-command-stdout>${text}</local-command-stdout>`);
}

export function compaction(): Draft {
  const content = "This session is being continued from a previous conversation";
  return [...compactBoundary(), { type: "user", isCompactSummary: true, message: { role: "user", content } }];
}

export function compactBoundary(): Draft {
  const compactMetadata = { trigger: "auto", preTokens: 1000 };
  return [
    { type: "system", subtype: "compact_boundary", parentUuid: null, logicalParentUuid: PREVIOUS, compactMetadata },
  ];
}

export function turnDuration(): Draft {
  return [{ type: "system", subtype: "turn_duration", durationMs: 1000 }];
}

export function attachment(type = "environment"): Draft {
  return [{ type: "attachment", attachment: { type } }];
}

export function queuedPrompt(text: string): Draft {
  return [{ type: "attachment", attachment: { type: "queued_command", commandMode: "prompt", prompt: text } }];
}

export function progress(): Draft {
  return [{ type: "progress", data: { type: "hook_progress" } }];
}

export function queueOperation(operation: string, content?: string): Draft {
  return [sideRecord({ type: "queue-operation", operation, content })];
}

export function leafHint(uuid: string): Draft {
  return [sideRecord({ type: "last-prompt", leafUuid: uuid, lastPrompt: "hint" })];
}

export function title(text: string): Draft {
  return [sideRecord({ type: "custom-title", customTitle: text })];
}

function sideRecord(record: DraftRecord): DraftRecord {
  return { ...record, uuid: null };
}

/** The same events, continuing somewhere else than after the record before: a rewind, a fork, a lost parent. */
export function continuing(parentUuid: string | null, draft: Draft): Draft {
  return draft.map((record, index) => (index === 0 && record["uuid"] !== null ? { ...record, parentUuid } : record));
}

/** The same events inside a sub-agent. */
export function inSidechain(agentId: string, draft: Draft): Draft {
  return draft.map((record) => ({ ...record, isSidechain: true, agentId }));
}
