import type { LogRecord } from "../format/record.js";
import { readRecords } from "../format/record-reader.js";
import { type SearchText, searchTexts } from "../session/search-texts.js";

/** A text and the record in which it stands. */
export interface PlacedText extends SearchText {
  readonly line: number;
  readonly offset: number;
  readonly timestamp: string | null;
}

/** All texts of a file that are wanted. Of records with the same uuid the last one counts. */
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
    const { line, offset, timestamp = null } = record;
    if (texts.length > 0)
      found.set(
        offset,
        texts.map((text) => ({ ...text, line, offset, timestamp })),
      );
  }
  return [...found.values()].flat();
}

/** The texts of a record; results name their call by id only, so the names of calls are remembered on the way. */
export function nameTools(record: LogRecord, toolNames: Map<string, string>): SearchText[] {
  return searchTexts(record).map((text) => {
    const { tool, toolUseId } = text;
    if (toolUseId === undefined) return text;
    if (tool !== undefined) toolNames.set(toolUseId, tool);
    const name = tool ?? toolNames.get(toolUseId);
    return name === undefined ? text : { ...text, tool: name };
  });
}
