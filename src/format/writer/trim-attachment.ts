import { type JsonObject, objectAt, stringAt } from "../json.js";
import { mapTexts, toStub } from "./trim-record.js";

/** What becomes of an attachment when attachments are removed. */
export type AttachmentUse = "kept" | "stubbed" | "removed";

/** What stopped something, what a person set as a goal, and what another session or agent was told. */
const KEPT: ReadonlySet<string | undefined> = new Set([
  "queued_command",
  "goal_status",
  "goals",
  "fork_briefing",
  "teammate_mailbox",
  "hook_blocking_error",
  "hook_stopped_continuation",
  "hook_error_during_execution",
  "hook_non_blocking_error",
  "plan_mode",
  "plan_mode_exit",
]);

/** What is found nowhere else in the conversation. */
const STUBBED: ReadonlySet<string | undefined> = new Set([
  "file",
  "directory",
  "mcp_resource",
  "pdf_reference",
  "plan_file_reference",
  "selected_lines_in_ide",
  "selected_lines_in_diff",
  "edited_text_file",
  "nested_memory",
  "relevant_memories",
  "memory_update",
  "invoked_skills",
  "dynamic_skill",
  "diagnostics",
  "task_status",
  "hook_success",
  "hook_additional_context",
  "hook_system_message",
  "async_hook_response",
  "async_hook_response_batch",
]);

export function attachmentUse(type: string | undefined): AttachmentUse {
  return KEPT.has(type) ? "kept" : STUBBED.has(type) ? "stubbed" : "removed";
}

/** An image or a PDF that a person mentioned with `@`. */
export function isMediaAttachment(raw: JsonObject): boolean {
  const file = objectAt(objectAt(objectAt(raw, "attachment"), "content"), "file");
  return Boolean(stringAt(file, "base64"));
}

/** Its texts and media as notes, in the same shape; the record itself where they are short. `where` says where to read them. */
export function stubAttachment(raw: JsonObject, where: string): JsonObject {
  const attachment = objectAt(raw, "attachment") ?? {};
  const note = `${describe(attachment)}; ${where}`;
  const shorten = (text: string) => shortenText(text, note);
  if (isMediaAttachment(raw)) return replaceMedia(raw, attachment, note);
  const [short, rendered] = [mapTexts(attachment, shorten), mapTexts(raw["rendered"], shorten)];
  if (short === attachment && rendered === raw["rendered"]) return raw;
  return { ...raw, attachment: short, ...(rendered === undefined ? {} : { rendered }) };
}

const REMINDER = /^<system-reminder>\n([\s\S]*)\n<\/system-reminder>\s*$/;

function shortenText(text: string, note: string): string {
  const inner = REMINDER.exec(text)?.[1];
  if (inner === undefined) return toStub(text, note);
  const short = toStub(inner, note);
  return short === inner ? text : `<system-reminder>\n${short}\n</system-reminder>`;
}

/** Versions of Claude Code that find no rendered text make it from the content, here a file of one line. */
function replaceMedia(raw: JsonObject, attachment: JsonObject, note: string): JsonObject {
  const name = stringAt(attachment, "filename") ?? "";
  const text = `[turnlog removed the content: ${note}]`;
  const file = { filePath: name, content: text, numLines: 1, startLine: 1, totalLines: 1 };
  const rendered = [{ content: `<system-reminder>\n${text}\n</system-reminder>` }];
  return { ...raw, attachment: { ...attachment, content: { type: "text", file } }, rendered };
}

function describe(attachment: JsonObject): string {
  const file = stringAt(attachment, "displayPath") ?? stringAt(attachment, "filename") ?? stringAt(attachment, "path");
  const hook = stringAt(attachment, "hookName");
  const type = (stringAt(attachment, "type") ?? "attachment").replaceAll("_", " ");
  return file === undefined ? (hook === undefined ? type : `${type} of ${hook}`) : `${type} ${file}`;
}
