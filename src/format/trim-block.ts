import { isObject, type JsonObject, stringAt, valueAt } from "./json.js";
import { mapTexts } from "./map-texts.js";
import { stubText, truncateText } from "./shorten-text.js";

/** What becomes of a tool call: it goes with its result, or both get shorter. */
export type CallFate = "remove" | "stub" | "truncate";

/** What is taken out of the content of a message. */
export interface ContentTrim {
  fateOf(callId: string): CallFate | undefined;
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
      return trimCall(block, trim.fateOf(stringAt(block, "id") ?? ""));
    case "server_tool_use":
      return trim.fateOf(stringAt(block, "id") ?? "") === "remove" ? undefined : block;
    case "tool_result":
      return trimResult(block, trim);
    default:
      // What the API found itself comes encrypted: it goes as a whole or stays.
      return type.endsWith("_tool_result") && trim.fateOf(stringAt(block, "tool_use_id") ?? "") === "remove"
        ? undefined
        : block;
  }
}

function trimCall(block: JsonObject, fate: CallFate | undefined): JsonObject | undefined {
  if (fate === "remove") return undefined;
  const input = fate === undefined ? block["input"] : mapTexts(block["input"], truncateText);
  return input === block["input"] ? block : { ...block, input };
}

function trimResult(block: JsonObject, trim: ContentTrim): JsonObject | undefined {
  const fate = trim.fateOf(stringAt(block, "tool_use_id") ?? "");
  if (fate === "remove") return undefined;
  const before = block["content"];
  const content = trimResultContent(before, fate, trim.isWithoutImages);
  return content === before ? block : { ...block, content };
}

function trimResultContent(content: unknown, fate: CallFate | undefined, isWithoutImages: boolean): unknown {
  const shorten = fate === "stub" ? stubText : truncateText;
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
