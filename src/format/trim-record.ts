import { arrayAt, type JsonObject, objectAt, stringAt } from "./json.js";
import { mapTexts } from "./map-texts.js";
import { truncateText } from "./shorten-text.js";
import { type ContentTrim, trimBlock } from "./trim-block.js";

/** What is taken out of a record. */
export interface RecordTrim extends ContentTrim {
  /** No call is left for which its message could have stopped. */
  readonly endsTurn: boolean;
}

/** A record of the conversation without some of its content, and what the client noted of it. */
export function trimRecord(raw: JsonObject, trim: RecordTrim): JsonObject {
  const message = objectAt(raw, "message");
  const before = arrayAt(message ?? raw, "content");
  if (before.length === 0) return message ? { ...raw, message: endTurn(message, trim) } : raw;
  const left = before.map((block) => trimBlock(block, trim));
  const content = left.filter((block) => block !== undefined && !isBlank(block, raw));
  const trimmed = message ? { ...raw, message: { ...endTurn(message, trim), content } } : { ...raw, content };
  const ids = before.flatMap((block) => resultId(block) ?? []);
  if (ids.length === 0) return trimmed;
  // What stood beside a result was not typed as a prompt, and does not become one without it.
  if (!content.some((block) => resultId(block) !== undefined))
    return { ...trimmed, toolUseResult: undefined, isMeta: true };
  const isShorter = before.some((block, at) => resultId(block) !== undefined && left[at] !== block);
  const isNoted = raw["toolUseResult"] !== undefined && (isShorter || ids.some((id) => trim.fateOf(id) !== undefined));
  return isNoted ? { ...trimmed, toolUseResult: trimNote(raw["toolUseResult"]) } : trimmed;
}

const MAX_ITEMS = 2;

/** What the client shows of a result keeps its shape, since clients expect it, and becomes short. */
export function trimNote(toolUseResult: unknown): unknown {
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
