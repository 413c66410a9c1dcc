import { arrayAt, type JsonObject, objectAt, stringAt } from "./json.js";

/** An answer without its thinking, which is signed and can only go as a whole. */
export function withoutThinking(answer: JsonObject): JsonObject {
  const content = arrayAt(answer, "message", "content").filter((block) => {
    const type = stringAt(block, "type");
    return type !== "thinking" && type !== "redacted_thinking";
  });
  return { ...answer, message: { ...objectAt(answer, "message"), content } };
}
