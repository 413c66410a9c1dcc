/** Rows of a session file as a client would write them; what a test says itself always wins over what is filled in. */
export type Row = Readonly<Record<string, unknown>>;

export const SESSION_ID = "11111111-1111-4111-8111-111111111111";

/** Fills in identity, parents and times: every row continues the one before it, a second later. */
export function chain(...rows: readonly Row[]): Row[] {
  return rows.map((row, index) => ({
    uuid: uuidOf(index + 1),
    parentUuid: index === 0 ? null : uuidOf(index),
    timestamp: new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString(),
    sessionId: SESSION_ID,
    version: "2.1.325",
    isSidechain: false,
    ...row,
  }));
}

export function uuidOf(number: number): string {
  return `aaaaaaaa-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

export function toLines(rows: readonly Row[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}

export function prompt(content: unknown, more: Row = {}): Row {
  return { type: "user", message: { role: "user", content }, ...more };
}

export function answer(text: string, more: Row = {}): Row {
  return assistant(`msg-${text}`, [{ type: "text", text }], "end_turn", more);
}

export function call(id: string, name: string, input: Row, more: Row = {}): Row {
  return assistant(`msg-${id}`, [{ type: "tool_use", id, name, input }], "tool_use", more);
}

export function assistant(id: string, content: unknown, stopReason: string | null, more: Row = {}): Row {
  const usage = { input_tokens: 3, output_tokens: 40 };
  const message = {
    id,
    type: "message",
    role: "assistant",
    model: "claude-x",
    content,
    stop_reason: stopReason,
    usage,
  };
  return { type: "assistant", message, ...more };
}

export function result(id: string, content: unknown, more: Row & { readonly isError?: boolean } = {}): Row {
  const { isError, ...rest } = more;
  const block = { type: "tool_result", tool_use_id: id, content, ...(isError ? { is_error: true } : {}) };
  return { type: "user", message: { role: "user", content: [block] }, ...rest };
}
