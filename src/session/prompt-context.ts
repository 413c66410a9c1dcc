import { stringAt } from "../format/json.js";
import type { LogRecord, UserRecord } from "../format/record.js";
import { stripAll } from "./classify-prompt.js";
import { textInTag } from "./wrappers.js";

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
  | { readonly kind: "file"; readonly path: string | null };

export function listContext(prompts: readonly UserRecord[], turnRecords: readonly LogRecord[]): ContextItem[] {
  const blocks = prompts.flatMap((prompt) => prompt.blocks);
  const { context } = stripAll(blocks);
  const pictures = blocks.flatMap((block): ContextItem[] =>
    block.kind === "image" || block.kind === "document"
      ? [{ kind: block.kind, mediaType: block.mediaType ?? null }]
      : [],
  );
  return [...context.flatMap(toIdeItem), ...pictures, ...attachedFiles(turnRecords)];
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

/** Files that a person mentioned with @: attached between the prompt and the first answer. */
function attachedFiles(records: readonly LogRecord[]): ContextItem[] {
  const firstAnswer = records.findIndex(({ kind }) => kind === "assistant");
  const before = firstAnswer < 0 ? records : records.slice(0, firstAnswer);
  return before.flatMap((record): ContextItem[] =>
    record.kind === "attachment" && record.attachmentType === "file"
      ? [
          {
            kind: "file",
            path: stringAt(record.attachment, "filename") ?? stringAt(record.attachment, "displayPath") ?? null,
          },
        ]
      : [],
  );
}
