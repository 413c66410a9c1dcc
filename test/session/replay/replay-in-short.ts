import { toApiMessages } from "../../../src/session/replay/api-replay.js";
import { type Row, session } from "../../builders/session-builder.js";

/** `role: content` of every message, blocks in short: texts as they are, calls and results by id. */
export function replay(...lines: readonly Row[]): string[] {
  return toApiMessages(session(...lines)).messages.map(
    ({ role, content }) => `${role}: ${content.map(inShort).join(" | ")}`,
  );
}

/** Every kind of change with its lines. */
export function reportOf(...lines: readonly Row[]): string[] {
  const { repaired, dropped, leftOut } = toApiMessages(session(...lines)).report;
  return [...repaired, ...dropped, ...leftOut].map(({ kind, lines: at }) => `${kind} ${at.join(",")}`);
}

function inShort(block: Row): string {
  switch (block["type"]) {
    case "text":
      return String(block["text"]).trimEnd();
    case "thinking":
      return `(${block["thinking"]})`;
    case "tool_use":
      return `call ${block["id"]}`;
    case "tool_result":
      return `${block["is_error"] === true ? "error" : "result"} ${block["tool_use_id"]}`;
    default:
      return String(block["type"]);
  }
}
