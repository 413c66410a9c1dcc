import { toWellFormed } from "../../format/json.js";
import type { Redactor } from "../../redact/create-redactor.js";
import { type ChatMessage, type ChatPart, type Content, lastThatFit } from "../observe/conversation.js";

/** Makes values fit to be sent: redacted, well-formed, and of limited length. */
export interface Cleaner {
  text(text: string, place: string, maxChars?: number): string;
  json<Value>(value: Value, place: string): Value;
  content(content: Content | undefined, place: string): CleanContent;
  /** What a call has printed alone may be a secret because of the call. */
  callAndResult(input: Content | undefined, output: Content | undefined): void;
}

export interface CleanContent {
  readonly value: Content | undefined;
  readonly isCut: boolean;
}

export interface CleanerOptions {
  /** Null leaves secrets in. */
  readonly redactor: Redactor | null;
  readonly maxValueChars: number;
  /** False: of calls and results only the names and ids. */
  readonly keepsTools: boolean;
}

/** Of one trace: a message that several generations read is cleaned once. */
export function createCleaner({ redactor, maxValueChars, keepsTools }: CleanerOptions): Cleaner {
  const known = new WeakMap<ChatMessage, ChatMessage>();
  const cleaner: Cleaner = {
    text: (text, place, maxChars = maxValueChars) => cutText(wellFormed(redactor?.text(text, place) ?? text), maxChars),
    json: (value, place) => wellFormed(redactor ? redactor.json(value, place) : value),
    callAndResult: (input, output) => {
      if (input?.kind !== "value" || output?.kind !== "value" || typeof output.value !== "string") return;
      if (output.value.length <= MAX_PRINTED) redactor?.learn({ input: input.value, result: output.value });
    },
    content: (content, place) => {
      if (content === undefined) return { value: undefined, isCut: false };
      if (content.kind === "value") return cleanValue(content.value, place);
      const clean = content.messages.map((message) => cleanMessage(message, place));
      const fitting = clean.length === 1 ? clean : lastThatFit(clean, maxValueChars);
      const isCut = fitting.length < clean.length || fitting.some(isShortened);
      return { value: { kind: "messages", messages: fitting }, isCut };
    },
  };

  function cleanValue(value: unknown, place: string): CleanContent {
    if (value === undefined || value === null) return { value: { kind: "value", value }, isCut: false };
    const text = typeof value === "string" ? value : undefined;
    const clean = text === undefined ? cleaner.json(value, place) : wellFormed(redactor?.text(text, place) ?? text);
    const cut = cutJson(clean, maxValueChars);
    return { value: { kind: "value", value: cut.value }, isCut: cut.isCut };
  }

  function cleanMessage(message: ChatMessage, place: string): ChatMessage {
    const done = known.get(message);
    if (done) return done;
    const stopReason = message.stopReason === null ? null : cleaner.text(message.stopReason, "name");
    const clean = { ...message, stopReason, parts: message.parts.map((part) => cleanPart(part, place)) };
    known.set(message, clean);
    return clean;
  }

  function cleanPart(part: ChatPart, place: string): ChatPart {
    switch (part.kind) {
      case "text":
      case "reasoning":
        return { ...part, text: cleaner.text(part.text, place) };
      case "toolCall": {
        const { id, input: whole = null } = part; // with its id, by which its result is known
        const input = cutJson(keepsTools ? cleaner.json({ id, input: whole }, place).input : null, maxValueChars).value;
        return { ...part, id: cleaner.text(part.id, "id"), name: cleaner.text(part.name, "name"), input };
      }
      case "toolResult": {
        const name = part.name === null ? null : cleaner.text(part.name, "name");
        const result = { toolUseId: part.id, content: part.text };
        const text =
          keepsTools && part.text !== null ? cutText(cleaner.json(result, place).content ?? "", maxValueChars) : null;
        return { ...part, id: cleaner.text(part.id, "id"), name, text };
      }
    }
  }

  return cleaner;
}

const MAX_PRINTED = 2500;

/** Databases of backends reject lone surrogates, and NUL in text. */
function wellFormed<Value>(value: Value): Value {
  return withoutNul(toWellFormed(value).value) as Value;
}

function withoutNul(value: unknown): unknown {
  if (typeof value === "string") return value.includes("\0") ? value.replaceAll("\0", "\uFFFD") : value;
  const json = JSON.stringify(value);
  return json?.includes("\\u0000")
    ? JSON.parse(json, (_, part) => (typeof part === "string" ? withoutNul(part) : part))
    : value;
}

const CUT_MARK = /… \[cut by turnlog: \d+ of \d+ characters\]$/;

function isShortened({ parts }: ChatMessage): boolean {
  return parts.some((part) => part.kind !== "toolCall" && part.text !== null && CUT_MARK.test(part.text));
}

/** Long text is cut, with a note at the end; any other long value becomes text first. */
function cutJson(value: unknown, limit: number): { readonly value: unknown; readonly isCut: boolean } {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return text.length <= limit ? { value, isCut: false } : { value: cutText(text, limit), isCut: true };
}

function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = /[\uD800-\uDBFF]/.test(text.charAt(limit - 1)) ? limit - 1 : limit;
  return `${text.slice(0, end)}… [cut by turnlog: ${end} of ${text.length} characters]`;
}
