import type { ApiBlock, ApiMessage } from "../../format/api-message.js";
import { arrayAt, stringAt } from "../../format/json.js";

const MAX_RESULT_CHARS = 2_000;

/** The conversation as text, for a summary: as messages it could not be sent without its tools and signatures. */
export function serializeConversation(messages: readonly ApiMessage[], maxChars: number): string {
  const texts = messages.map(
    ({ role, content }) =>
      `<${role}>\n${content
        .map(toText)
        .filter((text) => text !== "")
        .join("\n")}\n</${role}>`,
  );
  const whole = texts.join("\n\n");
  if (whole.length <= maxChars) return whole;
  // The beginning says what is wanted, the end where things stand.
  const head = Math.floor(maxChars * 0.2);
  return `${whole.slice(0, head)}\n\n… (${whole.length - maxChars} characters left out) …\n\n${whole.slice(head - maxChars)}`;
}

function toText(block: ApiBlock): string {
  switch (block.type) {
    case "text":
      return stringAt(block, "text") ?? "";
    case "tool_use":
      return `[call ${stringAt(block, "name")}] ${shorten(JSON.stringify(block["input"]))}`;
    case "tool_result":
      return `[result] ${shorten(
        stringAt(block, "content") ??
          arrayAt(block, "content")
            .map((part) => stringAt(part, "text") ?? "")
            .join("\n"),
      )}`;
    case "thinking":
    case "redacted_thinking":
      return "";
    default:
      return `[${block.type}]`;
  }
}

function shorten(text: string): string {
  if (text.length <= MAX_RESULT_CHARS) return text;
  const half = MAX_RESULT_CHARS / 2;
  return `${text.slice(0, half)} … ${text.slice(-half)}`;
}
