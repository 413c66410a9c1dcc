import type { RawMessageStreamEvent } from "@anthropic-ai/sdk/resources/messages";
import { isObject, type JsonObject, tryParseJson } from "../../format/json.js";
import { type ApiBlock, textBlock } from "../../format/record/api-message.js";
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
  #isComplete = false;

  constructor(
    private readonly listener: AnswerListener,
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
        this.#isComplete = true;
        break;
      default:
    }
  }

  #begin({ id, model, usage }: { id: string; model: string; usage: object }): void {
    this.#usage = { ...usage };
    this.#start = { id, model, requestId: this.requestId(), usage: this.#usage };
    this.listener.start(this.#start);
  }

  /** The answer so far. If we aborted it, this includes the text of the open block. */
  result(): Answer | undefined {
    if (!this.#start) return undefined;
    const rest = this.#isComplete ? undefined : this.#openText();
    return {
      ...this.#start,
      usage: this.#usage,
      blocks: rest === undefined ? this.#blocks : [...this.#blocks, rest],
      stopReason: this.#isComplete ? (this.#stopReason ?? "end_turn") : null,
      stopSequence: this.#stopSequence,
    };
  }

  /** A surrogate pair may have been split. */
  #openText(): ApiBlock | undefined {
    const open = this.#open;
    const text = open?.start.type === "text" ? open.text.replace(/[\uD800-\uDBFF]$/, "") : "";
    return text.trim() === "" ? undefined : textBlock(text);
  }

  #openBlock(index: number, start: ApiBlock): void {
    const text = String(start["text"] ?? start["thinking"] ?? "");
    this.#open = { index, start, text, signature: String(start["signature"] ?? ""), json: "", citations: [] };
  }

  #grow(delta: JsonObject): void {
    const open = this.#open;
    if (!open) return;
    if (typeof delta["text"] === "string") {
      open.text += delta["text"];
      this.listener.delta("text", delta["text"]);
    } else if (typeof delta["thinking"] === "string") {
      open.text += delta["thinking"];
      this.listener.delta("thinking", delta["thinking"]);
    } else if (typeof delta["signature"] === "string") open.signature += delta["signature"];
    else if (typeof delta["partial_json"] === "string") open.json += delta["partial_json"];
    else if (delta["citation"] !== undefined) open.citations.push(delta["citation"]);
  }

  #closeBlock(): void {
    const open = this.#open;
    this.#open = undefined;
    const block = open && toBlock(open);
    if (!open || !block) return;
    this.#blocks.push(block);
    this.listener.block(block, open.index);
  }
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
