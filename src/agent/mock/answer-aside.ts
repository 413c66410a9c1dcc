import { arrayAt, isObject, stringAt } from "../../format/json.js";
import type { RecordedSession } from "./read-dialogues.js";

/**
 * Requests that clients make beside the conversation, which no session records: a title, a summary, a question to a small model.
 * Undefined: it belongs to the conversation.
 */
export class AsideAnswers {
  #summaries = 0;

  constructor(private readonly sessions: readonly RecordedSession[]) {}

  answer(body: unknown): string | undefined {
    if (hasTools(body)) return this.#isSummary(body) ? this.#summary() : undefined;
    const text = lastText(body);
    if (this.#isSummary(body)) return this.#summary();
    if (asksForTitle(body)) return JSON.stringify({ isNewTopic: true, title: this.sessions[0]?.title ?? "" });
    return this.#lookup(text) ?? (isShort(body) ? "OK" : undefined);
  }

  #isSummary(body: unknown): boolean {
    return /\b(detailed summary of|summary of the conversation|summarize this conversation)\b/i.test(lastText(body));
  }

  #summary(): string {
    const recorded = this.sessions.flatMap(({ summaries }) => summaries);
    const text = recorded[this.#summaries] ?? recorded.at(-1) ?? "Nothing was recorded here.";
    this.#summaries += 1;
    return `<summary>\n${text}\n</summary>`;
  }

  #lookup(text: string): string | undefined {
    for (const { lookups } of this.sessions)
      for (const [query, result] of lookups) if (text.includes(query)) return result;
    return undefined;
  }
}

/** Tools that the client runs; those of the API's side are asked for by a search, beside the conversation. */
function hasTools(body: unknown): boolean {
  return arrayAt(body, "tools").some((tool) => isObject(tool) && "input_schema" in tool);
}

function asksForTitle(body: unknown): boolean {
  const format = isObject(body) ? JSON.stringify([body["output_config"], body["output_format"], body["system"]]) : "";
  return /\b(title|topic)\b/i.test(format);
}

/** A probe of the connection, or of the account. */
function isShort(body: unknown): boolean {
  return isObject(body) && typeof body["max_tokens"] === "number" && body["max_tokens"] <= 512;
}

function lastText(body: unknown): string {
  const content = arrayAt(body, "messages").at(-1);
  const blocks = isObject(content) ? content["content"] : undefined;
  if (typeof blocks === "string") return blocks;
  return Array.isArray(blocks) ? blocks.flatMap((block) => stringAt(block, "text") ?? []).join("\n") : "";
}
