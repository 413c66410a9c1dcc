import { numberAt, stringAt } from "../../format/json.js";
import type { AttachmentRecord, LogRecord, UserRecord } from "../../format/record/record.js";
import { stripContexts } from "../prompts/classify-input.js";
import { textInTag } from "../prompts/wrappers.js";

/** What came along with a prompt without being part of it. */
export type ContextItem =
  | {
      readonly kind: "ide_selection";
      readonly path: string | null;
      readonly startLine: number | null;
      readonly endLine: number | null;
      readonly text: string;
    }
  | { readonly kind: "ide_opened_file"; readonly path: string | null; readonly text: string }
  | { readonly kind: "image"; readonly mediaType: string | null }
  | { readonly kind: "document"; readonly mediaType: string | null }
  | { readonly kind: "file"; readonly path: string | null }
  | { readonly kind: "mention"; readonly name: string | null }; // of an agent, a skill or a resource

export function listContext(prompts: readonly UserRecord[], turnRecords: readonly LogRecord[]): ContextItem[] {
  const blocks = prompts.flatMap((prompt) => prompt.blocks);
  const { context } = stripContexts(blocks);
  const pictures = blocks.flatMap((block): ContextItem[] =>
    block.kind === "image" || block.kind === "document"
      ? [{ kind: block.kind, mediaType: block.mediaType ?? null }]
      : [],
  );
  return [...context.flatMap(toIdeItem), ...pictures, ...attachedItems(turnRecords)];
}

function toIdeItem(span: string): ContextItem[] {
  const selection = textInTag(span, "ide_selection");
  if (selection !== undefined) {
    const place = /lines? (\d+)(?: to (\d+))? (?:from|of|in) (.+?)(?::?\s*$|:\s*\n)/m.exec(selection);
    const first = place?.[1] === undefined ? null : Number(place[1]);
    const last = place?.[2] === undefined ? first : Number(place[2]);
    return [
      {
        kind: "ide_selection",
        path: place?.[3]?.trim() ?? null,
        startLine: first,
        endLine: last,
        text: selection.trim(),
      },
    ];
  }
  const opened = textInTag(span, "ide_opened_file");
  if (opened === undefined) return [];
  const path = /opened the file (.+?) in the IDE/s.exec(opened)?.[1]?.trim() ?? null;
  return [{ kind: "ide_opened_file", path, text: opened.trim() }];
}

/** What a person mentioned with @ or had open: attached between the prompt and the first answer. */
function attachedItems(records: readonly LogRecord[]): ContextItem[] {
  return beforeAnswer(records).flatMap((record) => (record.kind === "attachment" ? toAttachedItem(record) : []));
}

function beforeAnswer(records: readonly LogRecord[]): readonly LogRecord[] {
  const firstAnswer = records.findIndex(({ kind }) => kind === "assistant");
  return firstAnswer < 0 ? records : records.slice(0, firstAnswer);
}

export interface AttachedFile {
  readonly path: string;
  /** Its beginning. */
  readonly text: string;
}

const BEGINNING = 2000; // characters

export function listAttachedFiles(records: readonly LogRecord[]): AttachedFile[] {
  return beforeAnswer(records).flatMap((record) => {
    if (record.kind !== "attachment" || record.attachmentType !== "file") return [];
    const { attachment } = record;
    const path = stringAt(attachment, "filename") ?? stringAt(attachment, "displayPath");
    const text = stringAt(attachment, "content", "file", "content") ?? stringAt(attachment, "content");
    return path === undefined || text === undefined ? [] : [{ path, text: text.slice(0, BEGINNING).toWellFormed() }];
  });
}

function toAttachedItem({ attachment, attachmentType }: AttachmentRecord): ContextItem[] {
  const text = (...keys: readonly string[]) => keys.flatMap((key) => stringAt(attachment, key) ?? [])[0] ?? null;
  const path = text("filename", "displayPath", "path");
  switch (attachmentType) {
    case "file":
    case "already_read_file":
    case "pdf_reference":
    case "compact_file_reference":
    case "directory":
      return [{ kind: "file", path }];
    case "opened_file_in_ide":
      return [{ kind: "ide_opened_file", path, text: "" }];
    case "selected_lines_in_ide":
    case "selected_lines_in_diff": {
      const [startLine, endLine] = [numberAt(attachment, "lineStart"), numberAt(attachment, "lineEnd")];
      const lines = { startLine: startLine ?? null, endLine: endLine ?? null };
      return [{ kind: "ide_selection", path, ...lines, text: text("content") ?? "" }];
    }
    case "agent_mention":
    case "skill_mention":
    case "mcp_resource":
      return [{ kind: "mention", name: text("agentType", "skill", "uri", "name") }];
    default:
      return [];
  }
}
