import { parseRecords } from "../../../src/format/reader/record-reader.js";
import { pairToolCalls, type ToolCall } from "../../../src/session/turns/tool-calls.js";

export interface CameBack {
  /** Text or blocks; undefined where no result was recorded. */
  readonly content?: unknown;
  readonly data?: unknown;
  readonly isError?: boolean;
  readonly id?: string;
}

/** A call as a client writes it, read by the parser. */
export function madeCall(name: string, input: unknown, { content, data, isError, id = "t1" }: CameBack = {}): ToolCall {
  const use = { type: "tool_use", id, name, input };
  const result = { type: "tool_result", tool_use_id: id, content, is_error: isError };
  const records = [
    { type: "assistant", uuid: "u1", message: { id: "m1", role: "assistant", content: [use] } },
    { type: "user", uuid: "u2", parentUuid: "u1", message: { role: "user", content: [result] }, toolUseResult: data },
  ];
  const written = content === undefined ? records.slice(0, 1) : records;
  const [call] = pairToolCalls(parseRecords(written.map((record) => JSON.stringify(record)).join("\n"))).toolCalls;
  if (!call) throw new Error("the call was not read");
  return call;
}
