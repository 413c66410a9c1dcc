import { listAt } from "../../collections.js";
import { readRecords, readRecordsAt } from "../../format/reader/record-reader.js";
import { isApproval, PLAN_TOOL } from "../../format/record/persons-words.js";
import type { LogRecord, Place, UserRecord } from "../../format/record/record.js";
import type { CallName } from "../../session/graph/node.js";
import { type SearchText, searchTexts, type TextKind } from "../../session/search-texts.js";

/** A text with the place of its record and its number among the texts of the record. */
export interface FoundText extends SearchText {
  readonly place: Place;
  readonly part: number;
}

/** Where a wanted text is; the text itself is read again when it is shown. */
export interface ScannedText extends Place {
  readonly kind: TextKind;
  readonly part: number;
  readonly tool: string | null;
  readonly time: number | null; // ms since the epoch
}

export interface ScanStart extends Pick<Place, "offset" | "line"> {
  readonly earlier: EarlierCalls;
  /** The offsets of records that later ones replace. */
  readonly replaced: ReadonlySet<number>;
}

/**
 * The wanted texts of a file, or of its part behind what the index has. Of records with the same uuid the last one counts. Memory
 * grows with the number of records, not with their size.
 */
export function scanFileTexts(
  path: string,
  isWanted: (text: SearchText & { readonly time: number }) => boolean,
  from?: ScanStart,
): ScannedText[] {
  const found = new Map<number, ScannedText[]>();
  const order = new Map<ScannedText, number>(); // a plan that is approved is found where that was done
  const offsets = new Map<string, number>();
  const calls = new CallMemory(path, from?.earlier);
  for (const record of readRecords(path, from && { offset: from.offset, line: from.line })) {
    if (record.kind === "broken") continue;
    if (record.uuid !== undefined) found.delete(offsets.get(record.uuid) ?? -1);
    if (record.uuid !== undefined) offsets.set(record.uuid, record.offset);
    const time = Date.parse(record.timestamp ?? "");
    for (const { kind, part, tool = null, place, ...text } of calls.textsOf(record)) {
      if (!isWanted({ kind, ...text, ...(tool === null ? {} : { tool }), time })) continue;
      const { line, offset, length } = place;
      const scanned = { kind, part, tool, line, offset, length, time: Number.isNaN(time) ? null : time };
      listAt(found, offset).push(scanned);
      if (place !== record) order.set(scanned, record.offset);
    }
  }
  for (const offset of from?.replaced ?? []) found.delete(offset);
  const texts = [...found.values()].flat();
  return order.size === 0 ? texts : texts.sort((a, b) => (order.get(a) ?? a.offset) - (order.get(b) ?? b.offset));
}

/** What the index knows of calls before the place where reading begins. */
export interface EarlierCalls {
  nameOf(id: string): string | undefined;
  placeOfPlan(id: string): Place | undefined;
}

/** What the results of a file do not repeat of their calls: the name of the tool, and a plan that they approve. */
export class CallMemory {
  readonly #names = new Map<string, string>();
  /** Where the plans are that nobody has decided about yet. */
  readonly #plans = new Map<string, Place>();

  constructor(
    private readonly path: string,
    private readonly earlier?: EarlierCalls,
  ) {}

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
      const tool = text.tool ?? (text.toolUseId === undefined ? undefined : this.#nameOf(text.toolUseId));
      return { ...text, ...(tool === undefined ? {} : { tool }), place: record, part };
    });
    const mayApprove = this.#plans.size > 0 || this.earlier !== undefined;
    const plans = mayApprove && record.kind === "user" ? this.#approvedPlans(record, own) : [];
    this.remember(record);
    return [...own, ...plans];
  }

  #nameOf(id: string): string | undefined {
    const name = this.#names.get(id) ?? this.earlier?.nameOf(id);
    if (name !== undefined) this.#names.set(id, name);
    return name;
  }

  #approvedPlans(record: UserRecord, own: readonly FoundText[]): FoundText[] {
    return record.blocks.flatMap((block) => {
      if (block.kind !== "toolResult" || !isApproval(record, block)) return [];
      const place = this.#plans.get(block.toolUseId) ?? this.earlier?.placeOfPlan(block.toolUseId);
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
