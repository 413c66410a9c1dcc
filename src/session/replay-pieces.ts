import { isClientResult } from "../format/api-tool-block.js";
import { type AttachmentContent, toAttachmentContent } from "../format/attachment-content.js";
import { type ContentBlock, type ToolResultBlock, toContentBlocks } from "../format/content-block.js";
import type { AssistantRecord, LogRecord, UserRecord } from "../format/record.js";
import { assembleMessages } from "./assemble-messages.js";
import type { Bodies } from "./bodies.js";
import type { Node } from "./node.js";
import type { ReplayKind, ReplayLog } from "./replay-report.js";
import { isSynthetic, messageKey } from "./session-message.js";

/** What the model said or saw, step by step, before it is laid out as messages. */
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

/** An answer stands where its first record does, wherever the others are. */
export function gatherPieces(nodes: readonly Node[], bodies: Bodies, log: ReplayLog): ReplayPiece[] {
  const records = nodes.flatMap((node) => readBody(node, bodies, log));
  const groups = groupAnswers(records);
  return records.flatMap((record) => {
    if (record.kind !== "assistant") return toInputPieces(record, log);
    const group = groups.get(messageKey(record));
    return group?.[0] === record ? toAnswerPieces(group, log) : [];
  });
}

function readBody(node: Node, bodies: Bodies, log: ReplayLog): LogRecord[] {
  const record = bodies.of(node);
  const silence = record ? silenceOf(record) : "missing-record";
  if (silence) log.add(silence, node.line);
  else if (record && isAbridged(record)) log.add("cut-record", node.line);
  return silence || !record ? [] : [record];
}

/** Why a record of the branch says nothing to the model; boundaries have nothing to say to anybody. */
function silenceOf(record: LogRecord): ReplayKind | undefined {
  switch (record.kind) {
    case "user":
    case "attachment":
      return undefined;
    case "assistant":
      if (record.isApiError) return "api-error";
      return isSynthetic(record) ? "synthetic" : undefined;
    case "system":
      return isLocalCommand(record) || record.subtype === "compact_boundary" ? undefined : "system-record";
    case "progress":
      return "progress";
    default:
      return "unknown-record";
  }
}

function isLocalCommand(record: LogRecord): boolean {
  return record.kind === "system" && record.subtype === "local_command";
}

function isAbridged(record: LogRecord): boolean {
  return record.kind !== "broken" && record.isAbridged;
}

function groupAnswers(records: readonly LogRecord[]): Map<string, AssistantRecord[]> {
  const groups = new Map<string, AssistantRecord[]>();
  for (const record of records) {
    if (record.kind !== "assistant") continue;
    const group = groups.get(messageKey(record));
    if (group) group.push(record);
    else groups.set(messageKey(record), [record]);
  }
  return groups;
}

function toAnswerPieces(group: readonly AssistantRecord[], log: ReplayLog): ReplayPiece[] {
  const recordOf = new Map(group.flatMap((record) => record.blocks.map((block) => [block, record])));
  const blocks = assembleMessages(group)
    .flatMap((message) => message.blocks)
    .map((block) => ({ block, record: recordOf.get(block), line: recordOf.get(block)?.line ?? 0 }))
    .filter(({ block, record, line }) => !record?.isAbridged || isUsefulWhenCut(block, line, log));
  const results = blocks.flatMap(({ block, line }) =>
    isClientResult(block) ? [{ kind: "result" as const, block, line }] : [],
  );
  const own = blocks.filter(({ block }) => !isClientResult(block)).map(({ block, line }) => ({ block, line }));
  return [{ kind: "answer", blocks: own, isAborted: group.some(({ isAborted }) => isAborted) }, ...results];
}

/** A shortened text still says something; a shortened signature, picture or encrypted result is refused. */
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
      return isLocalCommand(record) ? [toMessage(toContentBlocks(record.content), record.line)] : [];
    case "attachment": {
      const content = toAttachmentContent(record);
      if (!content) log.add("silent-attachment", record.line);
      return content ? [{ kind: "input", ...content, line: record.line }] : [];
    }
    default:
      return [];
  }
}

/** Whatever stands beside tool results comes after them. */
function toUserPieces({ blocks, line, isAbridged: isCut }: UserRecord, log: ReplayLog): ReplayPiece[] {
  const usable = blocks.filter((block) => !isCut || isUsefulWhenCut(block, line, log));
  const results = usable.filter(isClientResult).map((block) => ({ kind: "result" as const, block, line }));
  const rest = usable.filter((block) => !isClientResult(block));
  return rest.length > 0 ? [...results, toMessage(rest, line)] : results;
}

function toMessage(blocks: readonly ContentBlock[], line: number): InputPiece {
  return { kind: "input", place: "message", blocks, line };
}
