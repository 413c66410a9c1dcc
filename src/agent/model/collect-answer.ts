import type { RawMessageStreamEvent } from "@anthropic-ai/sdk/resources/messages";
import { isObject, type JsonObject, tryParseJson, valueAt } from "../../format/json.js";
import type { ApiBlock } from "../../format/record/api-message.js";
import type { Answer, AnswerListener, AnswerStart } from "./model.js";

/** A block that is still streaming. */
interface OpenBlock {
  readonly index: number;
  readonly start: ApiBlock;
  text: string;
  signature: string;
  json: string;
  readonly citations: unknown[];
}

/** Assembles the stream events of one attempt. Only complete blocks are passed on. */
export class AnswerCollector {
  readonly #blocks: ApiBlock[] = [];
  #start: AnswerStart | undefined;
  #open: OpenBlock | undefined;
  #usage: JsonObject = {};
  #stopReason: string | null = null;
  #stopSequence: string | null = null;
  #stopDetails: unknown = null;
  #isComplete = false;

  constructor(
    private readonly listen: AnswerListener,
    private readonly requestId: () => string | undefined,
  ) {}

  /** `message_delta` has arrived: calls may run. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  take(event: RawMessageStreamEvent): void {
    switch (event.type) {
      case "message_start":
        this.#begin(event.message);
        break;
      case "content_block_start":
        this.#openBlock(event.index, event.content_block as unknown as ApiBlock);
        break;
      case "content_block_delta":
        this.#grow(event.delta as unknown as JsonObject);
        break;
      case "content_block_stop":
        this.#closeBlock();
        break;
      case "message_delta":
        this.#usage = { ...this.#usage, ...withoutNulls({ ...event.usage }) };
        this.#stopReason = event.delta.stop_reason;
        this.#stopSequence = event.delta.stop_sequence;
        this.#stopDetails = valueAt(event.delta, "stop_details") ?? null;
        this.#isComplete = true;
        break;
      default:
    }
  }

  #begin({ id, model, usage }: { id: string; model: string; usage: object }): void {
    this.#usage = { ...usage };
    this.#start = { id, model, requestId: this.requestId(), usage: this.#usage };
    this.listen({ kind: "answer-start", start: this.#start });
  }

  /** We aborted the stream: the text of the open block is kept, other open blocks are not. */
  abort(): void {
    const open = this.#open;
    if (open?.start.type === "text") {
      open.text = open.text.replace(/[\uD800-\uDBFF]$/, ""); // a surrogate pair may have been split
      this.#closeBlock();
    } else this.discard();
  }

  /** The attempt failed: the open block ends without content. */
  discard(): void {
    const open = this.#open;
    this.#open = undefined;
    if (open) this.#announceEnd(open, undefined);
  }

  /** The answer so far; its stop reason is null unless it is complete. */
  result(): Answer | undefined {
    if (!this.#start) return undefined;
    return {
      ...this.#start,
      usage: this.#usage,
      blocks: this.#blocks,
      stopReason: this.#isComplete ? (this.#stopReason ?? "end_turn") : null,
      stopSequence: this.#stopSequence,
      stopDetails: this.#stopDetails,
    };
  }

  #openBlock(index: number, start: ApiBlock): void {
    const text = String(start["text"] ?? start["thinking"] ?? "");
    this.#open = { index, start, text, signature: String(start["signature"] ?? ""), json: "", citations: [] };
    const kind = streamOf(start);
    if (kind === "input")
      this.listen({ kind: "input-start", index, callId: String(start["id"]), name: String(start["name"]) });
    else if (kind !== undefined) this.listen({ kind: `${kind}-start`, index });
  }

  #grow(delta: JsonObject): void {
    const open = this.#open;
    if (!open) return;
    const { index } = open;
    if (typeof delta["text"] === "string") {
      open.text += delta["text"];
      this.listen({ kind: "text-delta", index, text: delta["text"] });
    } else if (typeof delta["thinking"] === "string") {
      open.text += delta["thinking"];
      this.listen({ kind: "thinking-delta", index, text: delta["thinking"] });
    } else if (typeof delta["partial_json"] === "string") {
      open.json += delta["partial_json"];
      this.listen({ kind: "input-delta", index, callId: String(open.start["id"]), json: delta["partial_json"] });
    } else if (typeof delta["signature"] === "string") open.signature += delta["signature"];
    else if (delta["citation"] !== undefined) open.citations.push(delta["citation"]);
  }

  #closeBlock(): void {
    const open = this.#open;
    this.#open = undefined;
    const block = open && toBlock(open);
    if (block) this.#blocks.push(block);
    if (open) this.#announceEnd(open, block);
  }

  #announceEnd({ index, start }: OpenBlock, block: ApiBlock | undefined): void {
    const kind = streamOf(start);
    if (kind === "input") this.listen({ kind: "input-end", index, callId: String(start["id"]), block });
    else if (kind !== undefined) this.listen({ kind: `${kind}-end`, index, block });
    else if (block) this.listen({ kind: "block", index, block });
  }
}

/** How a block streams; undefined: it comes as a whole. */
function streamOf({ type }: ApiBlock): "text" | "thinking" | "input" | undefined {
  if (type === "tool_use" || type === "server_tool_use") return "input";
  return type === "text" || type === "thinking" ? type : undefined;
}

/** Undefined for blocks that must not be kept: empty text, thinking without a signature. */
function toBlock({ start, text, signature, json, citations }: OpenBlock): ApiBlock | undefined {
  switch (start.type) {
    case "text":
      if (text.trim() === "") return undefined;
      return { type: "text", text, ...(citations.length > 0 ? { citations } : {}) };
    case "thinking":
      return signature === "" ? undefined : { type: "thinking", thinking: text, signature };
    case "tool_use":
    case "server_tool_use": {
      const input = json === "" ? start["input"] : tryParseJson(json);
      return { ...withoutNulls(start), type: start.type, input: isObject(input) ? input : {} };
    }
    default:
      return { ...withoutNulls(start), type: start.type };
  }
}

/** The API returns null for missing fields but rejects null in requests. */
function withoutNulls(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}
