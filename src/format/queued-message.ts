import { arrayAt, asObject, asString, type JsonObject, stringAt } from "./json.js";

/** A message that was handed to the model while it was busy (2.1.325). */
export interface QueuedMessage {
  readonly text: string;
  readonly images: number;
  readonly isByPerson: boolean;
}

export function toQueuedMessage(attachment: JsonObject): QueuedMessage | undefined {
  if (attachment["type"] !== "queued_command") return undefined;
  const text = promptText(attachment["prompt"]);
  if (text === undefined) return undefined;
  const mode = asString(attachment["commandMode"]) ?? "prompt";
  const origin = asString(asObject(attachment["origin"])?.["kind"]) ?? "human";
  return {
    text,
    images: arrayAt(attachment, "prompt").filter((part) => stringAt(part, "type") === "image").length,
    isByPerson: mode === "prompt" && origin === "human" && attachment["humanTurn"] !== false,
  };
}

function promptText(prompt: unknown): string | undefined {
  if (typeof prompt === "string") return prompt;
  return Array.isArray(prompt) ? prompt.flatMap((part) => stringAt(part, "text") ?? []).join("\n") : undefined;
}
