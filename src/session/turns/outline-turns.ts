import { lastUpTo } from "../../collections.js";
import type { QueueOperation, SessionMark } from "../facts/facts.js";
import type { Node } from "../graph/node.js";
import type { MessageOutline } from "../messages/message.js";
import type { QueuedTest } from "./follow-ups.js";
import type { CallOutline } from "./tool-calls.js";

export type TurnKind = "prompt" | "command" | "bash" | "notification";

/** A turn without its bodies: the nodes it is made of. */
export interface TurnOutline extends PreambleOutline {
  readonly index: number; // 1-based
  readonly kind: TurnKind;
  readonly round: Round;
  readonly isComplete: boolean;
  readonly start: Node;
  /** Further records of the same prompt: some versions write one for each of its blocks. */
  readonly promptParts: readonly Node[];
  readonly followUps: readonly (Node | QueueOperation)[];
}

/** What precedes the first turn. */
export interface PreambleOutline {
  readonly nodes: readonly Node[];
  readonly locals: readonly LocalOutline[];
  readonly marks: readonly SessionMark[];
}

/** A command that Claude Code ran without the model, with what it printed. */
export interface LocalOutline {
  readonly call: Node;
  readonly outputs: readonly Node[];
}

export interface BranchTurns {
  readonly preamble: PreambleOutline;
  readonly turns: readonly TurnOutline[];
}

export interface TurnOptions {
  /** Messages that only the queue recorded. */
  readonly undelivered?: readonly QueueOperation[];
  /** What records outside of the conversation say about it. */
  readonly marks?: readonly SessionMark[];
  readonly roundGapMinutes?: number | undefined;
  /** Whether the last turn is over; the others are. */
  readonly isOver?: (last: TurnOutline) => boolean;
  /** What precedes the nodes, where they are the end of a branch. */
  readonly before?: TurnsBefore | undefined;
}

export interface TurnsBefore {
  readonly count: number;
  readonly last: TurnOutline | undefined;
  /** Whether a prompt was written there, by its `promptKey`. */
  readonly hasPrompt: (key: string) => boolean;
}

/** Groups the nodes of one branch, given in reading order. */
export function outlineTurns(nodes: readonly Node[], wasQueued: QueuedTest, options: TurnOptions = {}): BranchTurns {
  const { before } = options;
  const places = placePrompts(nodes, wasQueued, before);
  const preamble: OpenPart = { nodes: [], locals: [], marks: [] };
  const turns: OpenTurn[] = [];
  const owners: Owners = { messages: new Map(), calls: new Map(), answered: new Set() };
  for (const node of nodes) {
    const place = places.get(node);
    if (place === "start") turns.push(openTurn(node, (before?.count ?? 0) + turns.length + 1));
    const owned = ownerOf(node, owners);
    const turn = owned === undefined ? (turns.at(-1) ?? null) : owned;
    (turn ?? preamble).nodes.push(node);
    claim(node, turn, owners);
    if (node.role === "answer") owners.answered.add(turn ?? preamble);
    if (place === "part") turn?.promptParts.push(node);
    if (place === "followUp" || node.role === "queuedPrompt") turn?.followUps.push(node);
    if (place === undefined) addLocal(node, turn ?? preamble, owners);
  }
  const turnBefore = lastStartedBefore(turns);
  for (const message of options.undelivered ?? []) turnBefore(message.line)?.followUps.push(message);
  for (const mark of options.marks ?? []) (turnBefore(mark.line) ?? preamble).marks.push(mark);
  closeTurns(turns, options);
  return { preamble, turns };
}

interface OpenPart {
  readonly nodes: Node[];
  readonly locals: OpenLocal[];
  readonly marks: SessionMark[];
}

interface OpenLocal extends LocalOutline {
  readonly outputs: Node[];
}

interface OpenTurn extends TurnOutline, OpenPart {
  readonly nodes: Node[];
  readonly locals: OpenLocal[];
  readonly marks: SessionMark[];
  readonly promptParts: Node[];
  readonly followUps: (Node | QueueOperation)[];
  round: Round;
  isComplete: boolean;
}

/** The turns of the messages and calls so far; null is the preamble. */
interface Owners {
  readonly messages: Map<string, OpenTurn | null>;
  readonly calls: Map<string, OpenTurn | null>;
  readonly answered: Set<OpenPart>;
}

/** The last turn that starts before a line. */
function lastStartedBefore(turns: readonly OpenTurn[]): (line: number) => OpenTurn | undefined {
  const lastAt = lastUpTo(turns.map(({ start }) => start.line));
  return (line) => turns[lastAt(line - 1)];
}

function openTurn(start: Node, index: number): OpenTurn {
  return {
    index,
    kind: kindOf(start),
    round: "new_session",
    isComplete: true,
    start,
    promptParts: [],
    nodes: [],
    followUps: [],
    locals: [],
    marks: [],
  };
}

/** A late result may belong to an earlier turn, so the end of a turn is known only when all nodes are grouped. */
function closeTurns(turns: readonly OpenTurn[], { roundGapMinutes, isOver, before }: TurnOptions): void {
  turns.forEach((turn, at) => {
    const previous = turns[at - 1] ?? before?.last;
    turn.round = labelRound(
      {
        kind: turn.kind,
        startedAt: turn.start.time,
        previousEnd: previous?.nodes.findLast(({ time }) => time !== undefined)?.time,
        isFirst: previous === undefined,
      },
      roundGapMinutes,
    );
  });
  const last = turns.at(-1);
  if (last) last.isComplete = isOver?.(last) ?? true;
}

function kindOf({ role }: Node): TurnKind {
  return role === "command" || role === "bash" || role === "notification" ? role : "prompt";
}

/** `copy`: a resume wrote the same prompt again, with a new uuid. */
type PromptPlace = "start" | "part" | "followUp" | "copy";

/** Prompts always start a turn, the other kinds when the model answered before the next candidate. */
function placePrompts(
  nodes: readonly Node[],
  wasQueued: QueuedTest,
  before: TurnsBefore | undefined,
): Map<Node, PromptPlace> {
  const places = findCopies(nodes, before);
  let isAnswered = false;
  for (let at = nodes.length - 1; at >= 0; at--) {
    const node = nodes[at];
    if (!node) continue;
    if (node.role === "answer") isAnswered = true;
    if (!isCandidate(node) || places.has(node)) continue;
    const previous = node.role === "prompt" ? lastWords(nodes, at) : undefined;
    if (previous && isSamePrompt(previous, node)) places.set(node, "part");
    else if (previous?.role === "toolResult" && wasQueued(node, previous)) places.set(node, "followUp");
    else {
      if (node.role === "prompt" || isAnswered) places.set(node, "start");
      isAnswered = false;
    }
  }
  return places;
}

/** The same words at the same millisecond, and what is a part of them. */
function findCopies(nodes: readonly Node[], before: TurnsBefore | undefined): Map<Node, PromptPlace> {
  const copies = new Map<Node, PromptPlace>();
  const seen = new Set<string>();
  let lastCopy: Node | undefined;
  for (const node of nodes) {
    const key = promptKey(node);
    if (key === undefined) continue;
    const isPartOfCopy = lastCopy?.uuid !== undefined && lastCopy.uuid === node.parentUuid;
    if (seen.has(key) || before?.hasPrompt(key) || isPartOfCopy) {
      copies.set(node, "copy");
      lastCopy = node;
    }
    seen.add(key);
  }
  return copies;
}

/** Two prompts with the same one are the same; undefined for other records, and for those without a time. */
export function promptKey({ role, time, text }: Node): string | undefined {
  return role === "prompt" && time !== undefined ? `${time} ${text}` : undefined;
}

/** A resume splits a prompt of several blocks (text and image) into records of the same moment. */
function isSamePrompt(before: Node, node: Node): boolean {
  return (
    before.role === "prompt" && node.parentUuid === before.uuid && node.time !== undefined && node.time === before.time
  );
}

/** The record before, without side lines. A prompt after a tool result may have waited in the queue. */
function lastWords(nodes: readonly Node[], at: number): Node | undefined {
  for (let index = at - 1; index >= 0; index--) {
    const node = nodes[index];
    if (node && node.role !== "plain" && node.role !== "queuedPrompt" && node.role !== "notice") return node;
  }
  return undefined;
}

function isCandidate({ role }: Node): boolean {
  return role === "prompt" || role === "command" || role === "bash" || role === "notification";
}

/** Records of a message stay together, and a result is with its call, wherever they are in the file. */
function ownerOf(node: Node, { messages, calls }: Owners): OpenTurn | null | undefined {
  if (node.message !== undefined) return messages.get(node.message);
  for (const { id } of node.results ?? []) {
    const turn = calls.get(id);
    if (turn !== undefined) return turn;
  }
  return undefined;
}

function claim(node: Node, turn: OpenTurn | null, { messages, calls }: Owners): void {
  if (node.message !== undefined) messages.set(node.message, turn);
  for (const { id } of node.calls ?? []) calls.set(id, turn);
}

function addLocal(node: Node, part: OpenPart, owners: Owners): void {
  switch (node.role) {
    case "command":
    case "bash":
    case "localCommand":
      part.locals.push({ call: node, outputs: [] });
      break;
    case "commandOutput":
    case "bashOutput":
    case "localOutput":
      addOutput(node, part, owners);
      break;
  }
}

/** What was printed goes to the command before it: a local one, or the one that started the turn. */
function addOutput(node: Node, part: OpenPart, { answered }: Owners): void {
  const local = part.locals.at(-1);
  const opener = part.nodes[0];
  const isOfOpener = (opener?.role === "command" || opener?.role === "bash") && !answered.has(part);
  if (local) local.outputs.push(node);
  else if (!isOfOpener) part.locals.push({ call: node, outputs: [] });
}

const FINAL_STOP_REASONS: ReadonlySet<string> = new Set(["end_turn", "stop_sequence", "refusal", "max_tokens"]);

/** Whether the last turn of a running session is over. */
export function isTurnOver(
  { nodes }: TurnOutline,
  calls: ReadonlyMap<string, CallOutline>,
  messages: ReadonlyMap<string, MessageOutline>,
): boolean {
  if (nodes.some(({ role }) => role === "turnDuration" || role === "interrupt")) return true;
  const last = nodes.findLast(({ message }) => message !== undefined);
  const stopReason = messages.get(last?.message ?? "")?.stopReason;
  return stopReason !== undefined && FINAL_STOP_REASONS.has(stopReason) && !hasOpenCall(nodes, calls);
}

export function hasOpenCall(nodes: readonly Node[], calls: ReadonlyMap<string, CallOutline>): boolean {
  return nodes.some(({ calls: own = [] }) => own.some(({ id }) => calls.get(id)?.status === "orphan"));
}

/** How a turn relates to the one before it; a label that changes nothing. */
export type Round = "new_session" | "continue" | "resume" | "new_round";

export interface RoundInput {
  readonly kind: string; // of the turn
  readonly startedAt: number | undefined; // ms since the epoch
  readonly previousEnd: number | undefined;
  readonly isFirst: boolean;
}

const DEFAULT_ROUND_GAP_MINUTES = 5;

export function labelRound(turn: RoundInput, gapMinutes = DEFAULT_ROUND_GAP_MINUTES): Round {
  if (turn.isFirst) return "new_session";
  if (turn.kind === "notification") return "continue";
  const gap = (turn.startedAt ?? Number.NaN) - (turn.previousEnd ?? Number.NaN);
  return gap > gapMinutes * 60_000 ? "resume" : "new_round";
}

/** A turn by its number. The end of a branch does not begin with the first one. */
export function turnAt({ turns }: Pick<BranchTurns, "turns">, index: number): TurnOutline | undefined {
  return turns[index - (turns[0]?.index ?? 1)];
}

/** The number of the turn in which each call was made. */
export function callTurns({ turns }: { readonly turns: readonly TurnOutline[] }): Map<string, number> {
  return new Map(
    turns.flatMap(({ index, nodes }) => nodes.flatMap(({ calls = [] }) => calls.map(({ id }) => [id, index] as const))),
  );
}
