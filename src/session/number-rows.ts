import { hash } from "node:crypto";
import type { Node } from "./graph/node.js";
import { countOnce, isCountedMessage, isOutputKnown, type MessageOutline, usageOf } from "./messages/message.js";
import type { ToolStatus } from "./messages/tool-status.js";
import type { Usage } from "./messages/usage.js";
import type { Outline } from "./open-session.js";
import type { PreambleOutline, TurnOutline } from "./turns/outline-turns.js";

/** Where a message was spent. A sub-agent's messages are its own on all of its branches. */
export type SpentPart = "active" | "rewound" | "subagent";

/** What one API message contributes to the statistics. */
export interface MessageFigures {
  readonly time: number | null; // ms since the epoch
  readonly model: string | null;
  readonly speed: string | null;
  readonly gitBranch: string | null;
  readonly part: SpentPart;
  readonly usage: Usage;
  readonly isOutputKnown: boolean;
}

export interface CallFigures {
  readonly time: number | null;
  readonly tool: string;
  readonly isError: boolean;
  readonly status: ToolStatus;
  readonly durationMs: number | null;
}

export interface TurnFigures {
  readonly time: number | null;
  readonly gitBranch: string | null;
  readonly activeMs: number;
  readonly apiErrors: number;
  /** False for API errors outside of turns: before the first one, or in a sub-agent. */
  readonly isTurn: boolean;
}

/** Copies of a message, call or turn in several files share a key; `isCopied` marks those that a fork brought along. */
export interface Copyable {
  readonly key: number;
  readonly isCopied: boolean;
}

export interface MessageRow extends MessageFigures, Copyable {
  readonly turn: number | null; // of the active branch
}

export interface CallRow extends CallFigures, Copyable {
  readonly line: number;
}

export interface TurnRow extends TurnFigures, Copyable {
  readonly number: number;
  readonly ended: number | null;
}

/** An API message as it counts in its file. */
export interface CountedMessage extends MessageFigures {
  readonly id: string;
  readonly isCopied: boolean;
}

export function toCounted({ message, part }: Pick<PlacedMessage, "message" | "part">): CountedMessage {
  return {
    id: message.id ?? message.key,
    time: message.time ?? null,
    model: message.model ?? null,
    speed: message.speed ?? null,
    gitBranch: message.gitBranch ?? null,
    part,
    usage: usageOf(message),
    isOutputKnown: isOutputKnown(message),
    isCopied: message.isCopied,
  };
}

/** What the figures of a file are computed from. */
export interface NumberRows {
  readonly messages: readonly MessageRow[];
  readonly calls: readonly CallRow[];
  readonly turns: readonly TurnRow[];
}

export function listRows(outline: Outline, isAgent: boolean): NumberRows {
  return { messages: listMessages(outline, isAgent), calls: listCalls(outline), turns: listTurns(outline, isAgent) };
}

/** The ids by which the keys of the rows are made, as they are in the file. */
export function listIds(outline: Outline): string[] {
  const { messages, calls, preamble, turns } = outline;
  const answered = [...messages.values()].map(({ id, key }) => id ?? key.slice(key.indexOf("/") + 1));
  const prompts = turns.flatMap((turn) => (answerOf(turn) === undefined ? (turn.start.uuid ?? []) : []));
  const errors = [preamble, ...turns].flatMap(apiErrorsOf).flatMap(({ uuid }) => uuid ?? []);
  return [...new Set([...answered, ...calls.keys(), ...prompts, ...errors])].filter((id) => id !== "");
}

export function listMessages(outline: Outline, isAgent: boolean): MessageRow[] {
  return placeMessages(outline, isAgent).map((placed) => {
    const { id, ...figures } = toCounted(placed);
    return { key: keyHash("message", id), turn: placed.turn, ...figures };
  });
}

export interface PlacedMessage {
  readonly message: MessageOutline;
  readonly part: SpentPart;
  /** The turn of the active branch that it belongs to, 1-based; null outside of turns. */
  readonly turn: number | null;
}

/** Every message of a file that the model wrote, once. */
export function placeMessages(outline: Outline, isSubagent: boolean): PlacedMessage[] {
  const turns = new Map(
    outline.turns.flatMap(({ index, nodes }) => nodes.map(({ message }) => [message, index] as const)),
  );
  const active = new Set(outline.active.map(({ message }) => message));
  const inSidechains = new Set(outline.sidechains.map(({ message }) => message));
  const keysOf = keysById(outline.messages.values());
  return countOnce(outline.messages.values())
    .filter(isCountedMessage)
    .map((message) => {
      const keys = keysOf.get(message.id ?? message.key) ?? [message.key];
      const turn = isSubagent ? undefined : keys.map((key) => turns.get(key)).find((index) => index !== undefined);
      const isActive = keys.some((key) => active.has(key));
      const isOfAgent = isSubagent || (!isActive && keys.every((key) => inSidechains.has(key)));
      return { message, part: isOfAgent ? "subagent" : isActive ? "active" : "rewound", turn: turn ?? null };
    });
}

function keysById(messages: Iterable<MessageOutline>): Map<string, string[]> {
  const keys = new Map<string, string[]>();
  for (const { id, key } of messages) {
    const known = keys.get(id ?? key);
    if (known) known.push(key);
    else keys.set(id ?? key, [key]);
  }
  return keys;
}

function listCalls({ calls, active, messages }: Outline): CallRow[] {
  const callers = findCallers(active);
  return [...calls.values()].map(({ id, name, startedAt, endedAt, status, isError }) => {
    const caller = callers.get(id);
    return {
      key: keyHash("call", id),
      tool: name,
      time: startedAt ?? null,
      durationMs: startedAt === undefined || endedAt === undefined ? null : endedAt - startedAt,
      isError,
      status,
      line: caller?.line ?? 0,
      isCopied: messages.get(caller?.message ?? "")?.isCopied ?? false,
    };
  });
}

function findCallers(active: readonly Node[]): Map<string, Node> {
  const callers = new Map<string, Node>();
  for (const node of active) {
    for (const { id } of node.calls ?? []) if (!callers.has(id)) callers.set(id, node);
  }
  return callers;
}

/** The number of a row that is no turn. */
export const NO_TURN = 0;

/** Turns of a session, and API errors outside of turns; a sub-agent has no turns here. */
function listTurns(outline: Outline, isAgent: boolean): TurnRow[] {
  const others = isAgent ? [outline.preamble, ...outline.turns] : [outline.preamble];
  return [...(isAgent ? [] : turnRows(outline)), ...listOtherErrors(others)];
}

function turnRows(outline: Outline): TurnRow[] {
  return outline.turns.map((turn) => {
    const time = turn.start.time ?? null;
    const ended = turn.nodes.findLast((node) => node.time !== undefined)?.time ?? null;
    return {
      key: keyHash("turn", turnKey(turn)),
      number: turn.index,
      time,
      ended,
      gitBranch: branchOf(turn, outline),
      activeMs: activeTime(time, ended),
      apiErrors: apiErrorsOf(turn).length,
      isTurn: true,
      isCopied: outline.messages.get(answerOf(turn) ?? "")?.isCopied ?? false,
    };
  });
}

function listOtherErrors(parts: readonly PreambleOutline[]): TurnRow[] {
  return parts.flatMap(apiErrorsOf).map(({ uuid, line, time = null }) => ({
    key: keyHash("turn", `API error ${uuid ?? `${line} ${time}`}`),
    number: NO_TURN,
    time,
    ended: null,
    gitBranch: null,
    activeMs: 0,
    apiErrors: 1,
    isTurn: false,
    isCopied: false,
  }));
}

function apiErrorsOf({ nodes }: PreambleOutline): Node[] {
  return nodes.filter(({ role }) => role === "apiError");
}

/** Never negative: clocks may be set back. */
export function activeTime(time: number | null, ended: number | null): number {
  return time === null || ended === null ? 0 : Math.max(0, ended - time);
}

/** Copies of a turn may have new uuids, but share the id of their answer. */
function turnKey(turn: TurnOutline): string {
  return answerOf(turn) ?? turn.start.uuid ?? `${turn.index} ${turn.start.time}`;
}

function answerOf({ nodes }: TurnOutline): string | undefined {
  return nodes.find(({ message, role }) => message !== undefined && role === "answer")?.message;
}

function branchOf({ nodes }: TurnOutline, { messages }: Outline): string | null {
  const answered = nodes.find(({ message }) => message !== undefined && messages.get(message)?.gitBranch !== undefined);
  return messages.get(answered?.message ?? "")?.gitBranch ?? null;
}

/** 13 hexadecimal digits: 52 bits, which a number holds exactly. */
const KEY_DIGITS = 13;

/** A number for an id; the kind keeps those of messages, calls and turns apart. Two of a million ids share one with a chance of 1 in 9,000. */
export function keyHash(kind: "message" | "call" | "turn", id: string): number {
  return Number.parseInt(hash("sha1", `${kind} ${id}`).slice(0, KEY_DIGITS), 16);
}
