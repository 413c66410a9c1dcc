import { readRecords } from "../../format/reader/record-reader.js";
import type { LogRecord } from "../../format/record/record.js";
import { type SearchText, searchTexts } from "../../session/search-texts.js";

/** A text and its record. */
export interface PlacedText extends SearchText {
  readonly line: number;
  readonly offset: number;
  readonly timestamp: string | null;
}

/** The wanted texts of a file. Of records with the same uuid the last one counts. */
export function scanFileTexts(
  path: string,
  isWanted: (text: SearchText & { readonly time: number }) => boolean,
): PlacedText[] {
  const found = new Map<number, PlacedText[]>();
  const offsets = new Map<string, number>();
  const toolNames = new Map<string, string>();
  for (const record of readRecords(path)) {
    if (record.kind === "broken") continue;
    if (record.uuid !== undefined) found.delete(offsets.get(record.uuid) ?? -1);
    if (record.uuid !== undefined) offsets.set(record.uuid, record.offset);
    const time = Date.parse(record.timestamp ?? "");
    const texts = nameTools(record, toolNames).filter((text) => isWanted({ ...text, time }));
    const { line, offset } = record;
    const timestamp = Number.isNaN(time) ? null : new Date(time).toISOString();
    if (texts.length > 0)
      found.set(
        offset,
        texts.map((text) => ({ ...text, line, offset, timestamp })),
      );
  }
  return [...found.values()].flat();
}

/** The texts of a record, with the tool they belong to: results name their call by id only, so `toolNames` collects the names of calls. */
export function nameTools(record: LogRecord, toolNames: Map<string, string>): SearchText[] {
  rememberTools(record, toolNames);
  return searchTexts(record).map((text) => {
    const tool = text.tool ?? toolNames.get(text.toolUseId ?? "");
    return tool === text.tool || tool === undefined ? text : { ...text, tool };
  });
}

/** Includes calls without a text: their results may have one. */
export function rememberTools(record: LogRecord, toolNames: Map<string, string>): void {
  if (record.kind !== "assistant") return;
  for (const block of record.blocks) if (block.kind === "toolCall") toolNames.set(block.id, block.name);
}
