import { hash } from "node:crypto";
import { listAt } from "../../collections.js";
import { readRecords, readRecordsAt } from "../../format/reader/record-reader.js";
import { isApproval, PLAN_TOOL } from "../../format/record/persons-words.js";
import type { LogRecord, Place, UserRecord } from "../../format/record/record.js";
import type { CallName } from "../../session/graph/node.js";
import { type SearchText, searchTexts } from "../../session/search-texts.js";

/** A text with the place of its record and its number among the texts of the record. */
export interface FoundText extends SearchText {
  readonly place: Place;
  readonly part: number;
}

/** Where a wanted text is, and what is known of it; the text itself is read again when it is shown. */
export interface ScannedText extends Omit<SearchText, "text">, Place {
  readonly part: number;
  readonly timestamp: string | null;
  /** Equal for equal texts. */
  readonly digest: string;
}

/**
 * The wanted texts of a file. Of records with the same uuid the last one counts. Memory grows with the number of records,
 * not with their size.
 */
export function scanFileTexts(
  path: string,
  isWanted: (text: SearchText & { readonly time: number }) => boolean,
): ScannedText[] {
  const found = new Map<number, ScannedText[]>();
  const offsets = new Map<string, number>();
  const calls = new CallMemory(path);
  for (const record of readRecords(path)) {
    if (record.kind === "broken") continue;
    if (record.uuid !== undefined) found.delete(offsets.get(record.uuid) ?? -1);
    if (record.uuid !== undefined) offsets.set(record.uuid, record.offset);
    const time = Date.parse(record.timestamp ?? "");
    const timestamp = Number.isNaN(time) ? null : new Date(time).toISOString();
    for (const { text, place, ...about } of calls.textsOf(record)) {
      if (!isWanted({ ...about, text, time })) continue;
      const { line, offset, length } = place;
      listAt(found, offset).push({ ...about, line, offset, length, timestamp, digest: hash("sha1", text, "base64") });
    }
  }
  return [...found.values()].flat();
}

/** What the results of a file do not repeat of their calls: the name of the tool, and a plan that they approve. */
export class CallMemory {
  readonly #names = new Map<string, string>();
  /** Where the plans are that nobody has decided about yet. */
  readonly #plans = new Map<string, Place>();

  constructor(private readonly path: string) {}

  /** For records whose texts are known already. */
  remember(record: LogRecord): void {
    if (record.kind !== "assistant" && record.kind !== "user") return;
    for (const block of record.blocks) {
      if (block.kind === "toolCall") this.addCall(block, record);
      else if (block.kind === "toolResult") this.endCall(block.toolUseId);
    }
  }

  addCall({ id, name }: CallName, { line, offset, length }: Place): void {
    this.#names.set(id, name);
    if (name === PLAN_TOOL) this.#plans.set(id, { line, offset, length });
  }

  endCall(id: string): void {
    this.#plans.delete(id);
  }

  /** The texts of a record, and a plan that it approves without repeating it. */
  textsOf(record: LogRecord): FoundText[] {
    const own = searchTexts(record).map((text, part): FoundText => {
      const tool = text.tool ?? this.#names.get(text.toolUseId ?? "");
      return { ...text, ...(tool === undefined ? {} : { tool }), place: record, part };
    });
    const plans = this.#plans.size > 0 && record.kind === "user" ? this.#approvedPlans(record, own) : [];
    this.remember(record);
    return [...own, ...plans];
  }

  #approvedPlans(record: UserRecord, own: readonly FoundText[]): FoundText[] {
    return record.blocks.flatMap((block) => {
      if (block.kind !== "toolResult" || !isApproval(record, block)) return [];
      const place = this.#plans.get(block.toolUseId);
      const isRepeated = own.some(({ kind, toolUseId }) => kind === "prompt" && toolUseId === block.toolUseId);
      return place === undefined || isRepeated ? [] : this.#readPlan(block.toolUseId, place);
    });
  }

  #readPlan(id: string, place: Place): FoundText[] {
    for (const call of readRecordsAt(this.path, [place])) {
      const texts = searchTexts(call);
      const part = texts.findIndex(({ toolUseId, kind }) => toolUseId === id && kind === "toolInput");
      const text = texts[part];
      if (text) return [{ ...text, kind: "prompt", place, part }];
    }
    return [];
  }
}
