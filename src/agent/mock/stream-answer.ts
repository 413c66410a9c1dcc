import type { JsonObject } from "../../format/json.js";
import type { ApiBlock } from "../../format/record/api-message.js";
import type { RecordedAnswer } from "./read-dialogues.js";

export interface StreamEvent {
  readonly type: string;
  readonly data: JsonObject;
  /** After this long. */
  readonly delayMs: number;
}

const PIECE_LENGTH = 24;

/** An answer as the Messages API streams it; the recorded time of a block is spread over its pieces. */
export function* streamAnswer(answer: RecordedAnswer): Generator<StreamEvent> {
  const { blocks, waitsMs, usage } = answer;
  const [first = 0, ...later] = waitsMs;
  const message = { ...toMessage(answer), content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  yield { type: "message_start", data: { message }, delayMs: first };
  for (const [index, block] of blocks.entries()) yield* streamBlock(block, index, later[index - 1] ?? 0);
  const delta = { stop_reason: answer.stopReason, stop_sequence: null };
  yield { type: "message_delta", data: { delta, usage }, delayMs: 0 };
  yield { type: "message_stop", data: {}, delayMs: 0 };
}

/** The whole answer, for a request that does not stream. */
export function toMessage({ id, model, blocks, stopReason, usage }: RecordedAnswer): JsonObject {
  const parts = { content: blocks, stop_reason: stopReason, stop_sequence: null, usage };
  return { id, type: "message", role: "assistant", model, ...parts };
}

function* streamBlock(block: ApiBlock, index: number, waitMs: number): Generator<StreamEvent> {
  const { start, deltas } = split(block);
  const delayMs = waitMs / (deltas.length + 1);
  yield { type: "content_block_start", data: { index, content_block: start }, delayMs };
  for (const delta of deltas) yield { type: "content_block_delta", data: { index, delta }, delayMs };
  yield { type: "content_block_stop", data: { index }, delayMs: 0 };
}

function split(block: ApiBlock): { readonly start: JsonObject; readonly deltas: readonly JsonObject[] } {
  switch (block.type) {
    case "text":
      return {
        start: { type: "text", text: "" },
        deltas: pieces(String(block["text"] ?? "")).map((text) => ({ type: "text_delta", text })),
      };
    case "thinking": {
      const thoughts = pieces(String(block["thinking"] ?? "")).map((thinking) => ({
        type: "thinking_delta",
        thinking,
      }));
      const signature = { type: "signature_delta", signature: String(block["signature"] ?? "") };
      return { start: { type: "thinking", thinking: "", signature: "" }, deltas: [...thoughts, signature] };
    }
    case "tool_use":
    case "server_tool_use": {
      const json = pieces(JSON.stringify(block["input"] ?? {}));
      return {
        start: { ...block, input: {} },
        deltas: json.map((partial_json) => ({ type: "input_json_delta", partial_json })),
      };
    }
    default:
      return { start: block, deltas: [] };
  }
}

/** No surrogate pair is split. */
function pieces(text: string): string[] {
  return text.match(new RegExp(`.{1,${PIECE_LENGTH}}`, "gsu")) ?? [];
}
