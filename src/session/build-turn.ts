import type { ContentBlock } from "../format/content-block.js";
import type { LogRecord } from "../format/record.js";
import { assembleMessages, type Message } from "./assemble-messages.js";
import type { Bodies } from "./bodies.js";
import { ownText, promptText } from "./classify-prompt.js";
import type { QueueOperation } from "./facts.js";
import type { Round } from "./label-round.js";
import { listNotices, type Notice } from "./list-notices.js";
import { localCommandText, type Node, queuedText } from "./node.js";
import type { Outline, TurnOutline } from "./outline.js";
import {
  millisecondsBetween,
  type OrphanResult,
  type PairedCalls,
  pairToolCalls,
  type ToolCall,
} from "./pair-tool-calls.js";
import { type ContextItem, listContext } from "./prompt-context.js";
import type { LocalSketch, PreambleSketch, TurnKind } from "./sketch-turns.js";
import { sumUsage, type Usage } from "./usage.js";
import { parseCommand, parseLocalOutput, textInTag } from "./wrappers.js";

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

/** A command that the client ran without the model. */
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

/** Of the bodies only the turn's own are needed, in any order: the outline knows theirs. */
export function buildTurn(turn: TurnOutline, bodies: Bodies, outline: Outline): Turn {
  const ordered = bodies.all(turn.nodes);
  const start = bodies.of(turn.start);
  const messages = assembleMessages(ordered);
  const prompts = bodies.all([turn.start, ...turn.promptParts]).filter((record) => record.kind === "user");
  const startedAt = timeOf(start);
  const endedAt = lastTime(turn.nodes, bodies) ?? startedAt;
  return {
    index: turn.index,
    uuid: turn.start.uuid ?? null,
    line: turn.start.line,
    kind: turn.kind,
    round: turn.round,
    prompt: prompts
      .map(promptText)
      .filter((text) => text !== "")
      .join("\n"),
    permissionMode: prompts[0]?.permissionMode ?? null,
    context: listContext(prompts, ordered),
    attached: prompts.flatMap(({ blocks }) => blocks.filter(({ kind }) => kind === "image" || kind === "document")),
    followUps: turn.followUps.map((followUp) => toFollowUp(followUp, bodies)),
    locals: turn.locals.map((local) => toLocal(local, bodies)),
    notices: listNotices(turn.nodes, bodies, turn.start),
    output: turn.kind === "bash" || turn.kind === "command" ? outputOf(turn, bodies) : null,
    startedAt,
    endedAt,
    durationMs: recordedDuration(ordered) ?? millisecondsBetween(startedAt, endedAt),
    interrupted: turn.nodes.some(({ role }) => role === "interrupt"),
    complete: turn.isComplete,
    messages,
    ...pairCalls(ordered, outline),
    usage: sumUsage(messages.map(({ usage }) => usage)),
  };
}

/** What stands before the first turn. */
export function buildPreamble(preamble: PreambleSketch, bodies: Bodies, outline: Outline): Preamble {
  const ordered = bodies.all(preamble.nodes);
  return {
    messages: assembleMessages(ordered),
    ...pairCalls(ordered, outline),
    locals: preamble.locals.map((local) => toLocal(local, bodies)),
    notices: listNotices(preamble.nodes, bodies),
  };
}

/** A result that stands in another turn than its call is no orphan. */
function pairCalls(records: readonly LogRecord[], outline: Outline): PairedCalls {
  const { toolCalls, orphanResults } = pairToolCalls(records, outline.notifications);
  return { toolCalls, orphanResults: orphanResults.filter(({ toolUseId }) => !outline.calls.has(toolUseId)) };
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

/** Local commands, compactions and reminders that come later do not prolong a turn. */
function lastTime(nodes: readonly Node[], bodies: Bodies): string | null {
  const working = nodes.filter(({ role, time }) => WORKING_ROLES.has(role) && time !== undefined);
  const last = working.reduce<Node | undefined>((a, b) => (a && (a.time ?? 0) > (b.time ?? 0) ? a : b), undefined);
  return last ? timeOf(bodies.of(last)) : null;
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
  const prompt =
    record?.kind === "attachment" ? queuedText(record) : record?.kind === "user" ? promptText(record) : undefined;
  return {
    prompt: prompt ?? "",
    at: timeOf(record),
    uuid: followUp.uuid ?? null,
    line: followUp.line,
    images: record?.kind === "attachment" ? (record.queued?.images ?? 0) : 0,
    deliveryRecorded: true,
  };
}

function toLocal({ call, outputs }: LocalSketch, bodies: Bodies): Local {
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
