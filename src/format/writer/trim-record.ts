import { arrayAt, isObject, type JsonObject, objectAt, stringAt, valueAt } from "../json.js";
import { contentBytes } from "./context-size.js";

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

/** A record of results that only says what became of them; no prompt of a person. */
export function withNote(raw: JsonObject, text: string): JsonObject {
  const message = { ...objectAt(raw, "message"), content: [{ type: "text", text }] };
  return { ...raw, message, toolUseResult: undefined, isMeta: true };
}

const MAX_ITEMS = 2;

/** Shortens the data that Claude Code shows of a result but keeps its shape, which Claude Code expects. */
export function trimResultData(toolUseResult: unknown): unknown {
  return mapTexts(toolUseResult, (text) => truncateText(text), MAX_ITEMS);
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
  /** The name of the tool that was called. */
  toolOf(callId: string): string;
  /** Where all that is taken out can be read: a line of a transcript. */
  readonly where: string;
  readonly isWithoutThinking: boolean;
  /** Documents count as images. */
  readonly isWithoutImages: boolean;
}

const MEDIA: Readonly<Record<string, string>> = { image: "an image", document: "a document" };

/** The pointer is left out where it would take more than the image. */
function mediaNote(block: unknown, { where }: Pick<ContentTrim, "where">): JsonObject {
  const what = `turnlog removed ${MEDIA[stringAt(block, "type") ?? ""]}`;
  const note = { type: "text", text: `[${what}: ${where}]` };
  return contentBytes(note) < contentBytes(block) ? note : { type: "text", text: `[${what}]` };
}

/** The block itself where nothing changes; undefined where it goes. */
export function trimBlock(block: unknown, trim: ContentTrim): unknown {
  if (!isObject(block)) return block;
  const type = stringAt(block, "type") ?? "";
  switch (type) {
    case "thinking":
    case "redacted_thinking":
      return trim.isWithoutThinking ? undefined : block;
    case "image":
    case "document":
      return trim.isWithoutImages ? mediaNote(block, trim) : block;
    case "tool_use":
      return trimCall(block, trim);
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

function trimCall(block: JsonObject, trim: ContentTrim): JsonObject | undefined {
  const fate = trim.actionFor(stringAt(block, "id") ?? "");
  if (fate === "remove") return undefined;
  const input =
    fate === undefined ? block["input"] : mapTexts(block["input"], (text) => truncateText(text, trim.where));
  return input === block["input"] ? block : { ...block, input };
}

function trimResult(block: JsonObject, trim: ContentTrim): JsonObject | undefined {
  const id = stringAt(block, "tool_use_id") ?? "";
  const fate = trim.actionFor(id);
  if (fate === "remove") return undefined;
  const note = `${trim.toolOf(id)}, ${block["is_error"] === true ? "error" : "ok"}; ${trim.where}`;
  const shorten = block["is_error"] === true ? keepEnds : fate === "stub" ? toStub : truncateText;
  const before = block["content"];
  const content = trimResultContent(before, fate && ((text) => shorten(text, note)), trim);
  return content === before ? block : { ...block, content };
}

function trimResultContent(
  content: unknown,
  shorten: ((text: string) => string) | undefined,
  trim: ContentTrim,
): unknown {
  if (typeof content === "string") return shorten ? shorten(content) : content;
  // A result that names tools makes them known to the model.
  if (!Array.isArray(content) || content.some((part) => stringAt(part, "type") === "tool_reference")) return content;
  const parts: readonly unknown[] = content;
  const trimmed = parts.map((part) => {
    const type = stringAt(part, "type") ?? "";
    if (Object.hasOwn(MEDIA, type)) return shorten || trim.isWithoutImages ? mediaNote(part, trim) : part;
    const text = shorten ? valueAt(part, "text") : undefined;
    const short = typeof text === "string" ? shorten?.(text) : text;
    return isObject(part) && short !== text ? { ...part, text: short } : part;
  });
  return trimmed.every((part, at) => part === parts[at]) ? content : trimmed;
}

/** Nothing that a client writes is nested so deeply. */
const MAX_DEPTH = 500;

/** A copy with every text changed, and lists cut to a length; the value itself where nothing changes, or below `MAX_DEPTH`. */
export function mapTexts(
  value: unknown,
  change: (text: string) => string,
  maxItems = Number.POSITIVE_INFINITY,
  depth = 0,
): unknown {
  if (depth > MAX_DEPTH) return value;
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) {
    const items = value.slice(0, maxItems).map((item) => mapTexts(item, change, maxItems, depth + 1));
    return items.length === value.length && items.every((item, at) => item === value[at]) ? value : items;
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(
    ([key, item]) => [key, mapTexts(item, change, maxItems, depth + 1)] as const,
  );
  return entries.every(([key, item]) => item === value[key]) ? value : Object.fromEntries(entries);
}

/** A note takes up to this; what saves less is not worth one. */
export const NOTE_CHARACTERS = 500;
const MAX_LINES = 2;
const MAX_CHARACTERS = 400;
/** `cut` was written by older versions. */
const CUT = /\n\[turnlog (?:cut|removed) (\d+) characters(: [^\n]*)?\]$/;
const STUB = /^\[turnlog removed \d+ characters[^\n]*\]$/;

/** Only what it was, how much, and where to read it; a text that this would hardly shorten, or has shortened before, as it is. */
export function toStub(text: string, note: string): string {
  if (STUB.test(text)) return text;
  const known = CUT.exec(text);
  if (known) return `[turnlog removed ${known.index + Number(known[1])} characters${known[2] ?? ""}]`;
  const spilled = spilledTo(text);
  return text.length <= NOTE_CHARACTERS + spilled.length
    ? text
    : `[turnlog removed ${text.length} characters: ${note}${spilled}]`;
}

/** The first two lines and how much was cut. */
function truncateText(text: string, note?: string): string {
  const known = CUT.exec(text);
  if (STUB.test(text) || (known && firstLines(text.slice(0, known.index)).length === known.index)) return text;
  const kept = firstLines(text);
  const spilled = kept.includes(SPILLED) ? "" : spilledTo(text);
  const cut = text.length - kept.length;
  if (cut <= NOTE_CHARACTERS + spilled.length) return text;
  return `${kept}\n[turnlog removed ${cut} characters${note === undefined ? "" : `: ${note}${spilled}`}]`;
}

const [HEAD, TAIL] = [400, 800];

/** Why something failed may be said at the beginning or at the end. */
function keepEnds(text: string, note: string): string {
  const isCut = text.startsWith("\n[turnlog removed ", HEAD);
  if (isCut || text.length <= HEAD + TAIL + 2 * NOTE_CHARACTERS) return text;
  const [head, tail] = [text.slice(0, HEAD).toWellFormed(), text.slice(-TAIL).toWellFormed()];
  return `${head}\n[turnlog removed ${text.length - HEAD - TAIL} characters: ${note}${spilledTo(text)}]\n${tail}`;
}

const SPILLED = "Full output saved to: ";

/** The file to which Claude Code wrote output that was too large. */
function spilledTo(text: string): string {
  const path = text.startsWith("<persisted-output>") ? /Full output saved to: (.+)/.exec(text)?.[1]?.trim() : undefined;
  return path === undefined ? "" : `; full output: ${path}`;
}

function firstLines(text: string): string {
  const kept = text.split("\n", MAX_LINES).join("\n").slice(0, MAX_CHARACTERS);
  const isSplitPair = kept.length < text.length && /[\uD800-\uDBFF]$/.test(kept);
  return isSplitPair ? kept.slice(0, -1) : kept;
}
