import { arrayAt, isObject, type JsonObject, objectAt, stringAt, valueAt } from "../json.js";

/** What is taken out of a record. */
export interface RecordTrim extends ContentTrim {
  /** No call is left for which its message could have stopped. */
  readonly endsTurn: boolean;
}

/** A record of the conversation without some of its content and of the data that Claude Code keeps about it. */
export function trimRecord(raw: JsonObject, trim: RecordTrim): JsonObject {
  const message = objectAt(raw, "message");
  const before = arrayAt(message ?? raw, "content");
  if (before.length === 0) return message ? { ...raw, message: endTurn(message, trim) } : raw;
  const left = before.map((block) => trimBlock(block, trim));
  const content = left.filter((block) => block !== undefined && !isBlank(block, raw));
  const trimmed = message ? { ...raw, message: { ...endTurn(message, trim), content } } : { ...raw, content };
  const ids = before.flatMap((block) => resultId(block) ?? []);
  if (ids.length === 0) return trimmed;
  // Text next to a result was not typed as a prompt, and must not become one without it.
  if (!content.some((block) => resultId(block) !== undefined))
    return { ...trimmed, toolUseResult: undefined, isMeta: true };
  const isShorter = before.some((block, at) => resultId(block) !== undefined && left[at] !== block);
  const isNoted =
    raw["toolUseResult"] !== undefined && (isShorter || ids.some((id) => trim.actionFor(id) !== undefined));
  return isNoted ? { ...trimmed, toolUseResult: trimResultData(raw["toolUseResult"]) } : trimmed;
}

const MAX_ITEMS = 2;

/** Shortens the data that Claude Code shows of a result but keeps its shape, which Claude Code expects. */
export function trimResultData(toolUseResult: unknown): unknown {
  return mapTexts(toolUseResult, truncateText, MAX_ITEMS);
}

function endTurn(message: JsonObject, { endsTurn }: RecordTrim): JsonObject {
  return endsTurn && message["stop_reason"] === "tool_use" ? { ...message, stop_reason: "end_turn" } : message;
}

function isBlank(block: unknown, raw: JsonObject): boolean {
  return raw["type"] === "assistant" && stringAt(block, "type") === "text" && !stringAt(block, "text")?.trim();
}

function resultId(block: unknown): string | undefined {
  return stringAt(block, "type") === "tool_result" ? stringAt(block, "tool_use_id") : undefined;
}

/** What becomes of a tool call: it goes with its result, or both get shorter. */
export type CallAction = "remove" | "stub" | "truncate";

/** What is taken out of the content of a message. */
export interface ContentTrim {
  actionFor(callId: string): CallAction | undefined;
  readonly isWithoutThinking: boolean;
  readonly isWithoutImages: boolean;
}

const IMAGE_GONE = { type: "text", text: "[turnlog removed an image]" };

/** The block itself where nothing changes; undefined where it goes. */
export function trimBlock(block: unknown, trim: ContentTrim): unknown {
  if (!isObject(block)) return block;
  const type = stringAt(block, "type") ?? "";
  switch (type) {
    case "thinking":
    case "redacted_thinking":
      return trim.isWithoutThinking ? undefined : block;
    case "image":
      return trim.isWithoutImages ? IMAGE_GONE : block;
    case "tool_use":
      return trimCall(block, trim.actionFor(stringAt(block, "id") ?? ""));
    case "server_tool_use":
      return trim.actionFor(stringAt(block, "id") ?? "") === "remove" ? undefined : block;
    case "tool_result":
      return trimResult(block, trim);
    default:
      // What the API found itself comes encrypted: it goes as a whole or stays.
      return type.endsWith("_tool_result") && trim.actionFor(stringAt(block, "tool_use_id") ?? "") === "remove"
        ? undefined
        : block;
  }
}

function trimCall(block: JsonObject, fate: CallAction | undefined): JsonObject | undefined {
  if (fate === "remove") return undefined;
  const input = fate === undefined ? block["input"] : mapTexts(block["input"], truncateText);
  return input === block["input"] ? block : { ...block, input };
}

function trimResult(block: JsonObject, trim: ContentTrim): JsonObject | undefined {
  const fate = trim.actionFor(stringAt(block, "tool_use_id") ?? "");
  if (fate === "remove") return undefined;
  const before = block["content"];
  const content = trimResultContent(before, fate, trim.isWithoutImages);
  return content === before ? block : { ...block, content };
}

function trimResultContent(content: unknown, fate: CallAction | undefined, isWithoutImages: boolean): unknown {
  const shorten = fate === "stub" ? toStub : truncateText;
  if (typeof content === "string") return fate === undefined ? content : shorten(content);
  // A result that names tools makes them known to the model.
  if (!Array.isArray(content) || content.some((part) => stringAt(part, "type") === "tool_reference")) return content;
  const parts: readonly unknown[] = content;
  const trimmed = parts.map((part) => {
    if (stringAt(part, "type") === "image") return fate !== undefined || isWithoutImages ? IMAGE_GONE : part;
    const text = fate === undefined ? undefined : valueAt(part, "text");
    const short = typeof text === "string" ? shorten(text) : text;
    return isObject(part) && short !== text ? { ...part, text: short } : part;
  });
  return trimmed.every((part, at) => part === parts[at]) ? content : trimmed;
}

/** A copy with every text changed, and lists cut to a length; the value itself where nothing changes. */
function mapTexts(value: unknown, change: (text: string) => string, maxItems = Number.POSITIVE_INFINITY): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) {
    const items = value.slice(0, maxItems).map((item) => mapTexts(item, change, maxItems));
    return items.length === value.length && items.every((item, at) => item === value[at]) ? value : items;
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, mapTexts(item, change, maxItems)] as const);
  return entries.every(([key, item]) => item === value[key]) ? value : Object.fromEntries(entries);
}

const MAX_LINES = 2;
const MAX_CHARACTERS = 400;
const CUT = /\n\[turnlog cut \d+ characters\]$/;
const STUB = /^\[turnlog removed \d+ characters\]$/;

/** The first two lines and how much was cut; a text that this would not shorten, or has shortened before, as it is. */
function truncateText(text: string): string {
  const known = CUT.exec(text);
  if (known && firstLines(text.slice(0, known.index)).length === known.index) return text;
  const kept = firstLines(text);
  const short = `${kept}\n[turnlog cut ${text.length - kept.length} characters]`;
  return short.length < text.length ? short : text;
}

/** Only how much there was. */
function toStub(text: string): string {
  const stub = `[turnlog removed ${text.length} characters]`;
  return STUB.test(text) || stub.length >= text.length ? text : stub;
}

function firstLines(text: string): string {
  const kept = text.split("\n", MAX_LINES).join("\n").slice(0, MAX_CHARACTERS);
  const isSplitPair = kept.length < text.length && /[\uD800-\uDBFF]$/.test(kept);
  return isSplitPair ? kept.slice(0, -1) : kept;
}
