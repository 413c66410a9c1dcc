import { listAt } from "../../collections.js";
import { objectAt } from "../../format/json.js";
import { isClientResult, toCallId } from "../../format/record/api-blocks.js";
import { type AttachmentContent, toAttachmentContent } from "../../format/record/attachment-content.js";
import {
  type ContentBlock,
  type ToolCallBlock,
  type ToolResultBlock,
  toContentBlocks,
} from "../../format/record/content-block.js";
import { spokenWords } from "../../format/record/persons-words.js";
import type { AssistantRecord, LogRecord, SystemRecord, UserRecord } from "../../format/record/record.js";
import type { Bodies, Node } from "../graph/node.js";
import { assembleBlocks, isFillerRecord, isSynthetic, messageKey } from "../messages/message.js";
import { shownResult } from "../turns/tool-calls.js";
import type { ReplayKind, ReplayLog } from "./replay-report.js";
import { frameVoiceTalk } from "./voice-talk.js";

/** What the model wrote or read, step by step, before it is laid out as messages. */
export type ReplayPiece = AnswerPiece | ResultPiece | InputPiece;

/** One API message of the model. */
export interface AnswerPiece {
  readonly kind: "answer";
  readonly blocks: readonly PlacedBlock[];
  readonly isAborted: boolean;
}

export interface PlacedBlock {
  readonly block: ContentBlock;
  readonly line: number;
}

interface ResultPiece {
  readonly kind: "result";
  readonly block: ToolResultBlock;
  readonly line: number;
}

export interface InputPiece {
  readonly kind: "input";
  readonly place: AttachmentContent["place"];
  readonly blocks: readonly ContentBlock[];
  readonly line: number;
}

/** An answer takes the position of its first record, wherever the others are. */
export function gatherPieces(nodes: readonly Node[], bodies: Bodies, log: ReplayLog): ReplayPiece[] {
  const records = readBodies(nodes, bodies, log);
  const groups = groupAnswers(records);
  const pieces: ReplayPiece[] = [];
  for (const record of records) {
    if (record.kind === "assistant") {
      const group = groups.get(messageKey(record));
      if (group?.[0] === record) addAnswerPieces(pieces, group, log);
    } else {
      for (const piece of toInputPieces(record, log)) pieces.push(piece);
    }
  }
  return pieces;
}

function readBodies(nodes: readonly Node[], bodies: Bodies, log: ReplayLog): LogRecord[] {
  const records: LogRecord[] = [];
  for (const node of nodes) {
    const record = bodies.of(node);
    const omission = record ? omissionOf(record) : "missing-record";
    if (omission) log.add(omission, node.line);
    else if (record) {
      if (isAbridged(record)) log.add("cut-record", node.line);
      records.push(record);
    }
  }
  return records;
}

/** Why a record of the branch is not sent to the model; boundaries are omitted without a note. */
function omissionOf(record: LogRecord): ReplayKind | undefined {
  switch (record.kind) {
    case "user":
    case "attachment":
      return undefined;
    case "assistant":
      if (record.isApiError) return "api-error";
      return isSynthetic(record) && !isFillerRecord(record) ? "synthetic" : undefined;
    case "system":
      return isSentSystem(record) || record.subtype === "compact_boundary" ? undefined : "system-record";
    case "progress":
      return "progress";
    default:
      return "unknown-record";
  }
}

/** A local command, and what was said on a voice call. */
function isSentSystem(record: SystemRecord): boolean {
  return record.subtype === "local_command" || spokenWords(record) !== undefined;
}

function isAbridged(record: LogRecord): boolean {
  return record.kind !== "broken" && record.isAbridged;
}

function groupAnswers(records: readonly LogRecord[]): Map<string, AssistantRecord[]> {
  const groups = new Map<string, AssistantRecord[]>();
  for (const record of records) if (record.kind === "assistant") listAt(groups, messageKey(record)).push(record);
  return groups;
}

function addAnswerPieces(pieces: ReplayPiece[], group: readonly AssistantRecord[], log: ReplayLog): void {
  const blocks: PlacedBlock[] = [];
  const results: ReplayPiece[] = [];
  const owners = new Map(
    group.toReversed().flatMap((record) => record.blocks.map((block) => [block, record] as const)),
  );
  for (const block of assembleBlocks(group)) {
    const record = owners.get(block);
    const line = record?.line ?? 0;
    if (record?.isAbridged && !isUsefulWhenCut(block, line, log)) continue;
    if (isClientResult(block)) results.push({ kind: "result", block, line });
    else blocks.push({ block, line });
  }
  pieces.push({ kind: "answer", blocks, isAborted: group.some(({ isAborted }) => isAborted) }, ...results);
}

/** A shortened text is usable; a shortened signature, image or encrypted result is refused. */
function isUsefulWhenCut(block: ContentBlock, line: number, log: ReplayLog): boolean {
  const isUseful =
    block.kind === "text" ||
    (block.kind === "toolCall" && !block.isServerSide) ||
    (isClientResult(block) && block.images === 0);
  if (!isUseful) log.add("cut-block", line);
  return isUseful;
}

function toInputPieces(record: LogRecord, log: ReplayLog): ReplayPiece[] {
  switch (record.kind) {
    case "user":
      return toUserPieces(record, log);
    case "system":
      return toSystemPieces(record);
    case "attachment": {
      const content = toAttachmentContent(record);
      if (!content) log.add("silent-attachment", record.line);
      return content ? [{ kind: "input", ...content, line: record.line }] : [];
    }
    default:
      return [];
  }
}

function toSystemPieces(record: SystemRecord): ReplayPiece[] {
  const { line } = record;
  const spoken = spokenWords(record);
  if (!spoken)
    return record.subtype === "local_command" ? [toMessage(toContentBlocks(record.content ?? ""), line)] : [];
  const { reminder, call, result } = frameVoiceTalk(spoken.text, line);
  return [
    toMessage(reminder, line),
    { kind: "answer", blocks: call.map((block) => ({ block, line })), isAborted: false },
    ...result.filter(isClientResult).map((block) => ({ kind: "result" as const, block, line })),
  ];
}

/** Other content of the record comes after its tool results. */
function toUserPieces({ blocks, line, isAbridged: isCut }: UserRecord, log: ReplayLog): ReplayPiece[] {
  const usable = blocks.filter((block) => !isCut || isUsefulWhenCut(block, line, log));
  const results = usable.filter(isClientResult).map((block) => ({ kind: "result" as const, block, line }));
  const rest = usable.filter((block) => !isClientResult(block));
  return rest.length > 0 ? [...results, toMessage(rest, line)] : results;
}

/** The results as the model saw them: Claude Code may have sent another text than it stored (2.1.200 and later). */
export function replaceResults(
  pieces: readonly ReplayPiece[],
  replaced: ReadonlyMap<string, string> = new Map(),
): readonly ReplayPiece[] {
  if (replaced.size === 0) return pieces;
  return pieces.map((piece) => {
    const text = piece.kind === "result" ? replaced.get(piece.block.toolUseId) : undefined;
    if (piece.kind !== "result" || text === undefined) return piece;
    const raw = { ...objectAt({ raw: piece.block.raw }, "raw"), content: text };
    return { ...piece, block: { ...piece.block, text, images: 0, raw } };
  });
}

function toMessage(blocks: readonly ContentBlock[], line: number): InputPiece {
  return { kind: "input", place: "message", blocks, line };
}

/** A call that will be sent: under which id, and with which result, if one was recorded. */
export interface ReplayCall {
  readonly id: string;
  readonly result: { readonly block: ToolResultBlock; readonly line: number } | undefined;
}

interface FoundCall {
  readonly block: ToolCallBlock;
  readonly line: number;
  readonly at: number; // index of its piece
  readonly isAborted: boolean;
  readonly isRepeated: boolean; // an earlier message has a call with the same id
  readonly results: FoundResult[];
}

interface FoundResult {
  readonly block: ToolResultBlock;
  readonly line: number;
  readonly isError: boolean;
}

/**
 * Assigns each call its one result. A call without an entry must not be sent. Some back ends start their ids again in each
 * message, so a result belongs to the nearest call before it.
 */
export function pairReplayCalls(pieces: readonly ReplayPiece[], log: ReplayLog): Map<ContentBlock, ReplayCall> {
  const found = findCalls(pieces);
  assignResults(pieces, found, log);
  const taken = new Set<string>();
  const calls = new Map<ContentBlock, ReplayCall>();
  for (const call of [...found.values()].flat().sort((a, b) => a.at - b.at)) {
    if (!isWorthSending(call, log)) continue;
    const result = shownResult(call.results);
    for (const extra of call.results) if (extra !== result) log.add("extra-result", extra.line);
    if (!result) log.add("orphan-call", call.line);
    calls.set(call.block, { id: chooseId(call, taken, log), result });
  }
  return calls;
}

function findCalls(pieces: readonly ReplayPiece[]): Map<string, FoundCall[]> {
  const found = new Map<string, FoundCall[]>();
  pieces.forEach((piece, at) => {
    if (piece.kind !== "answer") return;
    for (const { block, line } of piece.blocks) {
      if (block.kind !== "toolCall" || block.isServerSide) continue;
      const known = found.get(block.id);
      const call = { block, line, at, isAborted: piece.isAborted, isRepeated: known !== undefined, results: [] };
      if (known) known.push(call);
      else found.set(block.id, [call]);
    }
  });
  return found;
}

function assignResults(
  pieces: readonly ReplayPiece[],
  found: ReadonlyMap<string, readonly FoundCall[]>,
  log: ReplayLog,
): void {
  pieces.forEach((piece, at) => {
    if (piece.kind !== "result") return;
    const { block, line } = piece;
    const calls = found.get(block.toolUseId) ?? [];
    const owner = calls.findLast((call) => call.at < at) ?? calls[0];
    if (owner) owner.results.push({ block, line, isError: block.isError });
    else log.add("orphan-result", line);
  });
}

function isWorthSending({ results, isAborted, isRepeated, line }: FoundCall, log: ReplayLog): boolean {
  if (results.length > 0 || !(isAborted || isRepeated)) return true;
  log.add(isAborted ? "aborted-call" : "repeated-call", line);
  return false;
}

function chooseId({ block, line }: FoundCall, taken: Set<string>, log: ReplayLog): string {
  const wanted = toCallId(block.id);
  let id = wanted;
  for (let count = 2; taken.has(id); count++) id = `${wanted}_${count}`;
  taken.add(id);
  if (id !== block.id) log.add("renamed-call", line);
  return id;
}
