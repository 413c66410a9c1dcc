import type { ServerResponse } from "node:http";
import type { ThinkingSeal } from "./request-rules.js";

/** A block of an answer, in short. */
export type AnswerBlock =
  | { readonly text: string }
  | { readonly thinking: string }
  | { readonly call: string; readonly input: object; readonly id?: string }
  | { readonly raw: object };

export interface Reply {
  readonly blocks: readonly AnswerBlock[];
  readonly stop?: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Waits so long before each event. */
  readonly paceMs?: number;
  /** So many signs of life come before anything else. */
  readonly pings?: number;
}

/** An answer that goes wrong. `blocks` come whole before it does. */
export type Fault =
  | {
      readonly fault: "status";
      readonly status: number;
      readonly type?: string;
      readonly message?: string;
      readonly retryAfter?: string;
    }
  | {
      readonly fault: "error-event" | "drop" | "eof" | "hang";
      readonly blocks?: readonly AnswerBlock[];
      readonly half?: AnswerBlock;
    };

interface Wire {
  readonly outgoing: ServerResponse;
  readonly index: number;
  readonly seal: ThinkingSeal;
  readonly model: string;
  readonly onEvent: () => void;
}

export async function streamReply(reply: Reply | Fault, wire: Wire): Promise<void> {
  if ("fault" in reply && reply.fault === "status") return answerStatus(reply, wire);
  const { outgoing, index } = wire;
  outgoing.writeHead(200, { "content-type": "text/event-stream", "request-id": `req_${index}` });
  const pace = "paceMs" in reply ? (reply.paceMs ?? 0) : 0;
  const events = "fault" in reply ? faultEvents(reply, wire) : replyEvents(reply, wire);
  for (const event of events) {
    if (pace > 0) await new Promise((done) => setTimeout(done, pace));
    if (outgoing.destroyed) return;
    await send(outgoing, event);
    wire.onEvent();
  }
  if (!("fault" in reply)) return void outgoing.end();
  if (reply.fault === "error-event") {
    await send(outgoing, { type: "error", error: { type: "overloaded_error", message: "Overloaded" } });
  }
  if (reply.fault === "drop") outgoing.destroy();
  else if (reply.fault !== "hang") outgoing.end();
}

function answerStatus(
  { status, type, message, retryAfter }: Extract<Fault, { fault: "status" }>,
  { outgoing }: Wire,
): void {
  outgoing.writeHead(status, {
    "content-type": "application/json",
    "request-id": "req_fault",
    ...(retryAfter === undefined ? {} : { "retry-after": retryAfter }),
  });
  outgoing.end(JSON.stringify({ type: "error", error: { type: type ?? "api_error", message: message ?? "a fault" } }));
}

interface Event {
  readonly type: string;
  readonly [field: string]: unknown;
}

function* replyEvents(reply: Reply, wire: Wire): Generator<Event> {
  yield messageStart(wire, reply.inputTokens);
  for (let n = 0; n < (reply.pings ?? 0); n++) yield { type: "ping" };
  for (const [at, block] of reply.blocks.entries()) yield* blockEvents(block, at, wire);
  const hasCall = reply.blocks.some((block) => "call" in block);
  yield {
    type: "message_delta",
    delta: { stop_reason: reply.stop ?? (hasCall ? "tool_use" : "end_turn"), stop_sequence: null },
    usage: { output_tokens: reply.outputTokens ?? 20 },
  };
  yield { type: "message_stop" };
}

function* faultEvents(fault: Exclude<Fault, { fault: "status" }>, wire: Wire): Generator<Event> {
  const blocks = fault.blocks ?? [];
  yield messageStart(wire);
  for (const [at, block] of blocks.entries()) yield* blockEvents(block, at, wire);
  if (fault.half) yield* [...blockEvents(fault.half, blocks.length, wire)].slice(0, 2);
}

function messageStart({ index, model }: Wire, inputTokens = 100): Event {
  const usage = {
    input_tokens: inputTokens,
    output_tokens: 1,
    cache_creation_input_tokens: 10,
    cache_read_input_tokens: 5,
    cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 0 },
    service_tier: "standard",
  };
  const id = `msg_${String(index).padStart(4, "0")}${Math.random().toString(36).slice(2, 10)}`;
  const head = { id, type: "message", role: "assistant", model, content: [], stop_reason: null, stop_sequence: null };
  return { type: "message_start", message: { ...head, usage } };
}

function* blockEvents(block: AnswerBlock, index: number, { seal, index: request }: Wire): Generator<Event> {
  const { start, deltas } = toWire(block, `${request}_${index}`, seal);
  yield { type: "content_block_start", index, content_block: start };
  for (const delta of deltas) yield { type: "content_block_delta", index, delta };
  yield { type: "content_block_stop", index };
}

function toWire(block: AnswerBlock, place: string, seal: ThinkingSeal): { start: object; deltas: object[] } {
  if ("raw" in block) return { start: block.raw, deltas: [] };
  if ("text" in block) {
    const deltas = halves(block.text).map((text) => ({ type: "text_delta", text }));
    return { start: { type: "text", text: "" }, deltas };
  }
  if ("thinking" in block) {
    const deltas = halves(block.thinking).map((thinking) => ({ type: "thinking_delta", thinking }));
    const signature = seal.sign(block.thinking);
    return {
      start: { type: "thinking", thinking: "", signature: "" },
      deltas: [...deltas, { type: "signature_delta", signature }],
    };
  }
  const deltas = halves(JSON.stringify(block.input)).map((json) => ({ type: "input_json_delta", partial_json: json }));
  return {
    start: {
      type: "tool_use",
      id: block.id ?? `toolu_${place}_${Math.random().toString(36).slice(2, 10)}`,
      name: block.call,
      input: {},
    },
    deltas,
  };
}

function halves(text: string): string[] {
  const at = Math.ceil(text.length / 2);
  return [text.slice(0, at), text.slice(at)];
}

function send(outgoing: ServerResponse, event: Event): Promise<void> {
  return new Promise((done) => {
    outgoing.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`, () => done());
  });
}
