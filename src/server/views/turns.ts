import { UserError } from "../../errors.js";
import { readRecords } from "../../format/reader/record-reader.js";
import type { LogRecord } from "../../format/record/record.js";
import type { LoadedSession } from "../../library/load/load-session.js";
import type { Clean } from "../../redact/create-redactor.js";
import { type ShownTurn, showSession, type TurnRange } from "../../render/show-session.js";
import { viewTool } from "../../render/tools/view-tool.js";
import type { TurnItem } from "../../render/turn-items.js";
import type { PriceTable } from "../../session/messages/cost.js";
import type { ForkContextAnswer, RawAnswer, RawRecord, ServedItem, ServedTurn, TurnsAnswer } from "../api/session.js";

export interface TurnsRequest extends TurnRange {
  /** Do not shorten texts. */
  readonly isWhole: boolean;
  readonly clean: Clean;
  readonly prices: PriceTable | undefined;
  readonly version: number;
  /** Stop after the turn that reaches this many characters. */
  readonly enough?: number;
}

/** The default of `enough`. */
const ANSWER_CHARACTERS = 3_000_000;
/** Longer texts are cut unless whole turns are requested. */
const TEXT_CHARACTERS = 64_000;
const WHOLE: Limits = { texts: 16_000_000 };
/** Tried in order until the turn fits: a turn with thousands of calls gets shorter texts. */
const SHORTENED: readonly Limits[] = [
  { texts: TEXT_CHARACTERS },
  { texts: 8000, pictures: 400_000 },
  { texts: 1000, pictures: 40_000 },
];

/** In characters. */
interface Limits {
  readonly texts: number;
  readonly pictures?: number;
}

/** Renders turns as the JSON text of a `TurnsAnswer`. */
export function turnsJson(session: LoadedSession, request: TurnsRequest): string {
  const { from, to, clean, prices, version, enough = ANSWER_CHARACTERS } = request;
  const total = session.outline.turns.length;
  refuseEmptyRange(from, total);
  const shown = showSession(session, { clean, prices, range: { from, to: Math.min(to, total) }, deadLeaves: [] });
  const limits = request.isWhole ? [WHOLE] : SHORTENED;
  const preamble = cutTexts(shown.preamble().map(toServedItem), request.isWhole ? WHOLE.texts : TEXT_CHARACTERS).value;
  const texts: string[] = [];
  let characters = 0;
  for (const turn of shown.turns()) {
    const text = turnJson(turn, limits);
    texts.push(text);
    characters += text.length;
    if (characters > enough) break;
  }
  const rest: Omit<TurnsAnswer, "turns"> = { total, from, to: from + texts.length - 1, version, preamble };
  return `${JSON.stringify(rest).slice(0, -1)},"turns":[${texts.join(",")}]}`;
}

/** The JSON text of a `ForkContextAnswer`; undefined for what is no forked sub-agent. */
export function forkContextJson(
  session: LoadedSession,
  { clean, prices }: Pick<TurnsRequest, "clean" | "prices">,
): string | undefined {
  const context = showSession(session, { clean, prices }).context();
  if (!context) return undefined;
  const { sessionId, uuid, records, problem } = context;
  const texts: string[] = [];
  let characters = 0;
  let isCut = false;
  for (const turn of context.turns()) {
    isCut = characters > ANSWER_CHARACTERS;
    if (isCut) break;
    const text = turnJson(turn, SHORTENED);
    texts.push(text);
    characters += text.length;
  }
  const facts: Omit<ForkContextAnswer, "turns"> = { sessionId, uuid, records, problem, isCut };
  return `${JSON.stringify(facts).slice(0, -1)},"turns":[${texts.join(",")}]}`;
}

/** A session without turns may still have a preamble, so turn 1 is always allowed. */
function refuseEmptyRange(from: number, total: number): void {
  if (from <= Math.max(1, total)) return;
  throw new UserError("not-found", `there is no turn ${from}`, `the session has ${total}`);
}

function turnJson(turn: ShownTurn, limits: readonly Limits[]): string {
  let json = "";
  for (const limit of limits) {
    json = JSON.stringify(toServedTurn(turn, limit));
    if (json.length <= ANSWER_CHARACTERS) break;
  }
  return json;
}

function toServedTurn({ turn, items, costUsd, isPromptKept }: ShownTurn, { texts, pictures }: Limits): ServedTurn {
  const { messages, toolCalls: _calls, followUps: _followUps, locals: _locals, ...more } = turn;
  const { notices: _notices, orphanResults: _orphans, ...facts } = more;
  const models = [...new Set(messages.flatMap(({ model }) => model ?? []))];
  const { value, isCut } = cutTexts({ facts: { ...facts, models }, items: items.map(toServedItem) }, texts, pictures);
  return { turn: value.facts, items: value.items, costUsd, isPromptKept, isCut };
}

function toServedItem(item: TurnItem): ServedItem {
  if (item.kind !== "call") return item;
  const { input: _input, result: _result, resultData: _data, resultBlocks: _blocks, ...call } = item.call;
  return { ...item, call, view: viewTool(item.call) };
}

const RAW_TEXT_CHARACTERS = 1_000_000;

/** The records of one line, as written. Starts reading at the nearest earlier line with a known offset. */
export function viewRaw(session: LoadedSession, line: number, clean: Clean): RawAnswer {
  const records: RawRecord[] = [];
  let isLast = true;
  for (const record of readRecords(session.path, placeBefore(session, line))) {
    isLast = record.line <= line;
    if (!isLast) break;
    if (record.line === line) records.push(toRaw(record));
  }
  if (records.length === 0 && isLast)
    throw new UserError("not-found", `no record at line ${line}`, "lines are counted from 1");
  const { value, isCut } = cutTexts(clean(records, "record"), RAW_TEXT_CHARACTERS);
  return { line, records: value, isCut, isLast };
}

function placeBefore({ outline }: LoadedSession, line: number): { readonly offset: number; readonly line: number } {
  let best = { offset: 0, line: 1 };
  for (const node of outline.active) {
    if (node.line <= line && node.line > best.line && node.bodyLine === undefined) best = node;
  }
  return { offset: best.offset, line: best.line };
}

function toRaw(record: LogRecord): RawRecord {
  return { kind: record.kind, raw: record.kind === "broken" ? record.text : record.raw };
}

export interface CutTexts<Value> {
  readonly value: Value;
  readonly isCut: boolean;
}

const MAX_DEPTH = 64;
/** Base64 data may be longer than text. */
const DEFAULT_BYTES_LIMIT = 2_000_000;

/** A copy with strings cut to `limit` characters, and without what is nested deeper than `MAX_DEPTH`. */
export function cutTexts<Value>(value: Value, limit: number, bytesLimit = DEFAULT_BYTES_LIMIT): CutTexts<Value> {
  let isCut = false;

  function cut(part: unknown, depth: number): unknown {
    if (typeof part === "string") {
      if (part.length <= limit || (part.length <= bytesLimit && isBytes(part))) return part;
      isCut = true;
      return isBytes(part) ? "" : part.slice(0, limit);
    }
    if (typeof part !== "object" || part === null) return part;
    if (depth > MAX_DEPTH) {
      isCut = true;
      return null;
    }
    if (Array.isArray(part)) return part.map((one) => cut(one, depth + 1));
    return Object.fromEntries(Object.entries(part).map(([key, one]) => [key, cut(one, depth + 1)]));
  }

  return { value: cut(value, 0) as Value, isCut };
}

/** Base64 data, such as an image, is useless when cut, so it is dropped as a whole. */
function isBytes(text: string): boolean {
  return /^[A-Za-z0-9+/]{400}/.test(text);
}
