import { stringAt } from "./json-at.js";
import type { Row } from "./read-session.js";

/** FACTS 3.1: one API message is all rows of one message.id, else of one requestId, else the row alone; per chain. */
export function messageKey({ json, uuid, line }: Row): string {
  const chain = json["isSidechain"] === true ? `agent ${stringAt(json, "agentId") ?? ""}` : "main";
  const id = stringAt(json, "message", "id") ?? stringAt(json, "requestId") ?? uuid ?? `line ${line}`;
  return `${chain} ${id}`;
}

/** An assistant row that the model wrote: not the client (`<synthetic>`), not injected (`isMeta`). */
export function isAnswer({ type, json }: Row): boolean {
  return type === "assistant" && json["isMeta"] !== true && stringAt(json, "message", "model") !== "<synthetic>";
}
