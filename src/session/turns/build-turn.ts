import { isFileError, UserError } from "../../errors.js";

("../../format/json.js");

import { readRecordsAt, type WantedPlace } from "../../format/reader/record-reader.js";
import type { ContentBlock } from "../../format/record/content-block.js";
import type { LogRecord } from "../../format/record/record.js";
import type { QueueOperation } from "../facts/facts.js";
import { type Bodies, bodyPlace, localCommandText, type Node, wordsOfPrompt } from "../graph/node.js";
import { assembleMessages, isFillerRecord, type Message } from "../messages/message.js";
import { sumUsage, type Usage } from "../messages/usage.js";
import { ownText } from "../prompts/classify-input.js";
import { parseCommand, parseLocalOutput, textInTag } from "../prompts/wrappers.js";
import { buildCompaction, type Compaction, type CompactionOutline } from "./compactions.js";
import { listNotices, markNotice, type Notice } from "./notices.js";
import {
  type BranchTurns,
  type LocalOutline,
  type PreambleOutline,
  type Round,
  type TurnKind,
  type TurnOutline,
  turnAt,
} from "./outline-turns.js";
import {
  type BranchCalls,
  millisecondsBetween,
  type OrphanResult,
  type PairedCalls,
  pairToolCalls,
  type ToolCall,
} from "./tool-calls.js";
import { type AttachedFile, type ContextItem, listAttachedFiles, listContext } from "./turn-context.js";

/** One prompt and all it set in motion, up to the next prompt. */
export interface Turn {
  readonly index: number; // 1-based on its branch
  readonly uuid: string | null;
  readonly line: number;
  readonly kind: TurnKind;
  readonly round: Round;
  readonly prompt: string;
  readonly permissionMode: string | null;
  readonly context: readonly ContextItem[];
  /** Images and documents of the prompt with their bytes; not part of the JSON. */
  readonly attached: readonly ContentBlock[];
  /** The beginnings of files that a person mentioned with @; not part of the JSON. */
  readonly attachedFiles: readonly AttachedFile[];
  readonly followUps: readonly FollowUp[];
  readonly locals: readonly Local[];
  readonly notices: readonly Notice[];
  readonly output: string | null; // of the shell command or local command that started the turn
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly durationMs: number | null;
  readonly interrupted: boolean;
  readonly complete: boolean;
  readonly messages: readonly Message[];
  readonly toolCalls: readonly ToolCall[];
  /** Results whose call the branch does not hold. */
  readonly orphanResults: readonly OrphanResult[];
  readonly usage: Usage;
}

/** A message typed while the model was busy. */
export interface FollowUp {
  readonly prompt: string;
  readonly at: string | null;
  readonly uuid: string | null;
  readonly line: number;
  readonly images: number;
  /** False where only the queue recorded it: whether the model saw it is not known. */
  readonly deliveryRecorded: boolean;
}

/** A command that Claude Code ran without the model. */
export interface Local {
  readonly kind: "command" | "bash";
  readonly prompt: string;
  readonly output: string | null;
  readonly uuid: string | null;
  readonly line: number;
  readonly at: string | null;
}

export interface Preamble {
  readonly notices: readonly Notice[];
  readonly messages: readonly Message[];
  readonly toolCalls: readonly ToolCall[];
  readonly orphanResults: readonly OrphanResult[];
  readonly locals: readonly Local[];
}

/** The turns of an outline. Each is built when it is asked for, from the bodies of its own records. */
export interface TurnReader {
  preamble(): Preamble;
  turn(index: number): Turn | undefined; // 1-based
  turns(from?: number, to?: number): Generator<Turn>;
  compactions(): Compaction[];
}

/** The parts of an outline that turns are built from. */
interface OutlinedTurns extends BranchTurns, BranchCalls {
  readonly compactions: readonly CompactionOutline[];
}

export type ReadBodies = (nodes: readonly Node[]) => Bodies;

export function turnReader(outline: OutlinedTurns, bodiesOf: ReadBodies): TurnReader {
  function turn(index: number): Turn | undefined {
    const found = turnAt(outline, index);
    return found && buildTurn(found, bodiesOf(found.nodes), outline);
  }

  return {
    preamble: () => buildPreamble(outline.preamble, bodiesOf(outline.preamble.nodes), outline),
    turn,
    *turns(from = 1, to = Number.POSITIVE_INFINITY) {
      const [first, last] = [outline.turns[0]?.index ?? 1, outline.turns.at(-1)?.index ?? 0];
      for (let index = Math.max(first, from); index <= Math.min(to, last); index++) {
        const built = turn(index);
        if (built) yield built;
      }
    },
    compactions: () => {
      const bodies = bodiesOf(outline.compactions.flatMap(({ summaryNode }) => summaryNode ?? []));
      return outline.compactions.map((compaction) => buildCompaction(compaction, bodies));
    },
  };
}

/** Longer lines with successful tool results are read abridged: only the start of each text. */
export function readBodies(
  path: string,
  nodes: readonly Node[],
  longestResult = Number.POSITIVE_INFINITY, // bytes
): Bodies {
  const places = nodes.map((node) => ({
    ...bodyPlace(node),
    isAbridged: node.length > longestResult && (node.results?.every(({ isError }) => !isError) ?? false),
  }));
  const bodies = indexBodies(readAt(path, places));
  if (nodes.some((node) => !isBodyOf(bodies.of(node), node))) throw rewritten(path);
  return bodies;
}

export function indexBodies(records: Iterable<LogRecord>): Bodies {
  const byOffset = new Map<number, LogRecord>(); // glued records share a line, never an offset
  for (const record of records) byOffset.set(record.offset, record);
  const of = ({ offset }: Node) => byOffset.get(offset);
  return { of, all: (nodes) => nodes.flatMap((node) => of(node) ?? []) };
}

function* readAt(path: string, places: Iterable<WantedPlace>): Generator<LogRecord> {
  try {
    yield* readRecordsAt(path, places);
  } catch (error) {
    throw isFileError(error) && error.code === "ENOENT" ? rewritten(path, error) : error;
  }
}

/** In a file that was cut, trimmed or rewritten since its outline was made, anything may be at the place of a record. */
function isBodyOf(record: LogRecord | undefined, { time }: Node): boolean {
  if (!record || record.kind === "broken") return false;
  const found = Date.parse(record.timestamp ?? "");
  return Number.isNaN(found) ? time === undefined : found === time;
}

function rewritten(path: string, cause?: Error): UserError {
  const message = `${path} was ${cause ? "deleted or moved" : "rewritten"} while it was read`;
  return new UserError("busy", message, "run the command again", { cause });
}

/** Needs the bodies of the turn's own nodes only, in any order. */
export function buildTurn(turn: TurnOutline, bodies: Bodies, branch: BranchCalls): Turn {
  const ordered = bodies.all(turn.nodes);
  const start = bodies.of(turn.start);
  const messages = assembleMessages(ordered);
  const said = bodies.all([turn.start, ...turn.promptParts]);
  const prompts = said.filter((record) => record.kind === "user");
  const startedAt = timeOf(start);
  const endedAt = lastTime(turn.nodes, bodies) ?? startedAt;
  return {
    index: turn.index,
    uuid: turn.start.uuid ?? null,
    line: turn.start.line,
    kind: turn.kind,
    round: turn.round,
    prompt: said
      .map(wordsOfPrompt)
      .filter((text) => text !== "")
      .join("\n"),
    permissionMode: prompts[0]?.permissionMode ?? null,
    context: listContext(prompts, ordered),
    attached: prompts.flatMap(({ blocks }) => blocks.filter(({ kind }) => kind === "image" || kind === "document")),
    attachedFiles: listAttachedFiles(ordered),
    followUps: turn.followUps.map((followUp) => toFollowUp(followUp, bodies)),
    locals: turn.locals.map((local) => toLocal(local, bodies)),
    notices: [...listNotices(turn.nodes, bodies, turn.start), ...turn.marks.map(markNotice)],
    output: turn.kind === "bash" || turn.kind === "command" ? outputOf(turn, bodies) : null,
    startedAt,
    endedAt,
    durationMs: recordedDuration(ordered) ?? millisecondsBetween(startedAt, endedAt),
    interrupted: turn.nodes.some(({ role }) => role === "interrupt"),
    complete: turn.isComplete,
    messages,
    ...withoutForkResult(pairCalls(ordered, branch), turn),
    usage: sumUsage(messages.map(({ usage }) => usage)),
  };
}

/** What precedes the first turn. */
export function buildPreamble(preamble: PreambleOutline, bodies: Bodies, branch: BranchCalls): Preamble {
  const ordered = bodies.all(preamble.nodes);
  return {
    messages: assembleMessages(ordered),
    ...pairCalls(ordered, branch),
    locals: preamble.locals.map((local) => toLocal(local, bodies)),
    notices: [...listNotices(preamble.nodes, bodies), ...preamble.marks.map(markNotice)],
  };
}

/** A result in another turn than its call is no orphan. */
function pairCalls(records: readonly LogRecord[], branch: BranchCalls): PairedCalls {
  const { toolCalls, orphanResults } = pairToolCalls(records, branch.notifications, branch.replacements);
  return { toolCalls, orphanResults: orphanResults.filter(({ toolUseId }) => !branch.calls.has(toolUseId)) };
}

/** The directive of a forked sub-agent comes with a result for the call that made it, which is its parent's. */
function withoutForkResult(
  { toolCalls, orphanResults }: PairedCalls,
  { start: { forkCall } }: TurnOutline,
): PairedCalls {
  return { toolCalls, orphanResults: orphanResults.filter(({ toolUseId }) => toolUseId !== forkCall) };
}

const WORKING_ROLES: ReadonlySet<Node["role"]> = new Set<Node["role"]>([
  "answer",
  "synthetic",
  "apiError",
  "toolResult",
  "interrupt",
  "queuedPrompt",
  "turnDuration",
]);

/**
 * Local commands, compactions and reminders at the end do not prolong a turn, nor does what Claude Code writes in place of an
 * answer when the session is resumed, hours later perhaps.
 */
function lastTime(nodes: readonly Node[], bodies: Bodies): string | null {
  const working = nodes.filter((node) => {
    return WORKING_ROLES.has(node.role) && node.time !== undefined && !isFillerNode(node, bodies);
  });
  const last = working.reduce<Node | undefined>((a, b) => (a && (a.time ?? 0) > (b.time ?? 0) ? a : b), undefined);
  return last ? timeOf(bodies.of(last)) : null;
}

function isFillerNode(node: Node, bodies: Bodies): boolean {
  const record = node.role === "synthetic" ? bodies.of(node) : undefined;
  return record?.kind === "assistant" && isFillerRecord(record);
}

function timeOf(record: LogRecord | undefined): string | null {
  return record && record.kind !== "broken" ? (record.timestamp ?? null) : null;
}

function recordedDuration(records: readonly LogRecord[]): number | undefined {
  for (const record of records) {
    if (record.kind === "system" && record.subtype === "turn_duration" && record.durationMs !== undefined) {
      return record.durationMs;
    }
  }
  return undefined;
}

function toFollowUp(followUp: Node | QueueOperation, bodies: Bodies): FollowUp {
  if ("operation" in followUp) {
    const { content, at, line } = followUp;
    return { prompt: content ?? "", at, uuid: null, line, images: 0, deliveryRecorded: false };
  }
  const record = bodies.of(followUp);
  return {
    prompt: wordsOfPrompt(record),
    at: timeOf(record),
    uuid: followUp.uuid ?? null,
    line: followUp.line,
    images: record?.kind === "attachment" ? (record.queued?.images ?? 0) : 0,
    deliveryRecorded: true,
  };
}

function toLocal({ call, outputs }: LocalOutline, bodies: Bodies): Local {
  const record = bodies.of(call);
  const printed = [call, ...outputs].map((node) => parseLocalOutput(textOf(bodies.of(node)))).filter((text) => text);
  return {
    kind: call.role === "bash" || call.role === "bashOutput" ? "bash" : "command",
    prompt: localPrompt(record),
    output: printed.length > 0 ? printed.join("\n") : null,
    uuid: call.uuid ?? null,
    line: call.line,
    at: timeOf(record),
  };
}

function localPrompt(record: LogRecord | undefined): string {
  const text = textOf(record);
  if (record?.kind === "system") return localCommandText(text) ?? "";
  const command = parseCommand(text);
  return command ? `${command.name} ${command.args}`.trim() : (textInTag(text, "bash-input") ?? "");
}

function outputOf({ nodes }: TurnOutline, bodies: Bodies): string | null {
  const output = nodes.find(({ role }) => role === "bashOutput" || role === "commandOutput");
  return output ? parseLocalOutput(textOf(bodies.of(output))) : null;
}

function textOf(record: LogRecord | undefined): string {
  if (record?.kind === "user") return ownText(record.blocks);
  return record?.kind === "system" ? (record.content ?? "") : "";
}
