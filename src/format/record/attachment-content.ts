import { arrayAt, type JsonObject, stringAt, valueAt } from "../json.js";
import { type ContentBlock, toContentBlocks } from "./content-block.js";
import type { AttachmentRecord } from "./record.js";

/** What the model saw of an attachment, and where: as context of the prompt, as system text, or as a message. */
export interface AttachmentContent {
  readonly place: "context" | "system" | "message";
  readonly blocks: readonly ContentBlock[];
}

/** Undefined where the record does not show what the model saw. */
export function toAttachmentContent(record: AttachmentRecord): AttachmentContent | undefined {
  const { attachment, attachmentType, raw } = record;
  const rendered = arrayAt(raw, "rendered").flatMap((part) => toContentBlocks(valueAt(part, "content")));
  if (attachmentType === "queued_command") {
    return {
      place: "message",
      blocks: rendered.length > 0 ? rendered.map(withoutReminderTags) : queuedBlocks(attachment),
    };
  }
  if (rendered.length > 0) {
    return { place: stringAt(raw, "renderedRole") === "system" ? "system" : "context", blocks: rendered };
  }
  if (attachmentType === "file") return { place: "context", blocks: fileBlocks(attachment) };
  const texts = attachedTexts(attachment, attachmentType);
  return texts.length === 0 ? undefined : { place: "context", blocks: texts.map(toReminder) };
}

/** Where a type of attachment holds its text: keys from the outside in, `[]` for each item of a list. */
const TEXT_PATHS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    hook_additional_context: ["content[]", "content"],
    hook_blocking_error: ["blockingError.blockingError"],
    hook_stopped_continuation: ["message"],
    instructions: ["files[].content"],
    invoked_skills: ["skills[].content"],
    dynamic_skill: ["skills[].content"],
    mcp_instructions_delta: ["addedBlocks[]"],
    mcp_resource: ["content.contents[].text"],
    nested_memory: ["content.content"],
    plan_file_reference: ["planContent"],
    edited_text_file: ["snippet"],
    relevant_memories: ["memories[].content"],
    account_memory_recall: ["memories[].content"],
    context_sections: ["sections[].text"],
    teammate_mailbox: ["messages[].text"],
    task_status: ["description", "deltaSummary"],
  }),
);

/** The texts of an attachment without `rendered`, for which versions before 2.1.281 show nothing else. */
function attachedTexts(attachment: JsonObject, type = ""): string[] {
  const texts = (TEXT_PATHS.get(type) ?? []).flatMap((path) => stringsAt(attachment, path.split(".")));
  return texts.filter((text) => text.trim() !== "");
}

function stringsAt(value: unknown, [step, ...rest]: readonly string[]): string[] {
  if (step === undefined) return typeof value === "string" ? [value] : [];
  const key = step.replace(/\[\]$/, "");
  return step === key
    ? stringsAt(valueAt(value, key), rest)
    : arrayAt(value, key).flatMap((item) => stringsAt(item, rest));
}

function toReminder(text: string): ContentBlock {
  return textContent(`<system-reminder>\n${text}\n</system-reminder>`);
}

/**
 * What Claude Code tells the model about itself and its surroundings. A client that does not find it in the history sends it
 * with the next prompt (seen in 2.1.325 and 2.1.326).
 */
const SENT_AGAIN: ReadonlySet<string | undefined> = new Set([
  "environment",
  "model",
  "instructions",
  "deferred_tools_delta",
  "agent_listing_delta",
  "skill_listing",
  "mcp_instructions_delta",
  "auto_mode",
  "output_style",
  "session_context",
  "date",
  "remote_session_change",
  "prompt_snapshot",
]);

export function isSentAgain(attachmentType: string | undefined): boolean {
  return SENT_AGAIN.has(attachmentType);
}

/** Sent outside a user's text, a reminder needs no tags (2.1.325 removes them). */
export function withoutReminderTags(block: ContentBlock): ContentBlock {
  if (block.kind !== "text") return block;
  const inner = REMINDER.exec(block.text)?.[1];
  return inner === undefined ? block : textContent(inner);
}

const REMINDER = /^<system-reminder>\n([\s\S]*)\n<\/system-reminder>\s*$/;
const QUEUED_INTRODUCTION = "The user sent a new message while you were working:\n";

function queuedBlocks(attachment: JsonObject): ContentBlock[] {
  const blocks = toContentBlocks(valueAt(attachment, "prompt"));
  const isByPerson = (stringAt(attachment, "origin", "kind") ?? "human") === "human";
  const [first, ...rest] = blocks;
  return isByPerson && first?.kind === "text" ? [textContent(QUEUED_INTRODUCTION + first.text), ...rest] : blocks;
}

function fileBlocks(attachment: JsonObject): ContentBlock[] {
  const file = valueAt(attachment, "content", "file");
  const name = stringAt(attachment, "displayPath") ?? stringAt(attachment, "filename") ?? "a file";
  const data = stringAt(file, "base64");
  const mediaType = stringAt(file, "type");
  if (data !== undefined && mediaType !== undefined) {
    return toContentBlocks([{ type: "image", source: { type: "base64", media_type: mediaType, data } }]);
  }
  const text = stringAt(file, "content") ?? stringAt(attachment, "content");
  return text === undefined ? [] : [toReminder(`Contents of ${name}:\n${text}`)];
}

function textContent(text: string): ContentBlock {
  return { kind: "text", text, raw: { type: "text", text } };
}
