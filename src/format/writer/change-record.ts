import { isUtf8 } from "node:buffer";
import { arrayAt, type JsonObject, objectAt, stringAt, toWellFormed, tryParseJson } from "../json.js";

/** A boundary that no longer says which records before it stay in the context, and continues at another record. */
export function withoutPreserved(logicalParentUuid: string | null): (boundary: JsonObject) => JsonObject {
  return (boundary) => {
    const metadata = { ...objectAt(boundary, "compactMetadata") };
    delete metadata["preservedSegment"];
    delete metadata["preservedMessages"];
    return { ...boundary, logicalParentUuid, compactMetadata: metadata };
  };
}

/** An answer without its thinking, which is signed and can only go as a whole. */
export function withoutThinking(answer: JsonObject): JsonObject {
  const content = arrayAt(answer, "message", "content").filter((block) => {
    const type = stringAt(block, "type");
    return type !== "thinking" && type !== "redacted_thinking";
  });
  return { ...answer, message: { ...objectAt(answer, "message"), content } };
}

/** The same with a text in place of each thinking, so that no record is left empty. */
export function withThinkingReplaced(text: string): (answer: JsonObject) => JsonObject {
  return (answer) => {
    const content = arrayAt(answer, "message", "content").map((block) => {
      const type = stringAt(block, "type");
      return type === "thinking" || type === "redacted_thinking" ? { type: "text", text } : block;
    });
    return { ...answer, message: { ...objectAt(answer, "message"), content } };
  };
}

/** A record with another time, in ms since the epoch. */
export function withTime(time: number): (record: JsonObject) => JsonObject {
  return (record) => ({ ...record, timestamp: new Date(time).toISOString() });
}

/** The bytes of a record without a byte order mark, NUL bytes or a carriage return around it, in whole characters. */
export function toCleanBytes(bytes: Buffer): Buffer {
  const trimmed = bytes.subarray(bytes.indexOf("{"), bytes.lastIndexOf("}") + 1);
  const decoded = isUtf8(trimmed) ? trimmed : Buffer.from(trimmed.toString("utf8"));
  if (!/\\ud/i.test(decoded.toString("latin1"))) return decoded;
  const { value, wasChanged } = toWellFormed(tryParseJson(decoded.toString("utf8")));
  return wasChanged ? Buffer.from(JSON.stringify(value)) : decoded;
}
