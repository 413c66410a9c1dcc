import type { Facts, QueueOperation } from "./facts.js";
import { wasQueuedBefore } from "./follow-ups.js";
import type { Node } from "./node.js";

export type TurnKind = "prompt" | "command" | "bash" | "notification";

/** A turn's skeleton: which records it is made of. */
export interface TurnSketch {
  readonly kind: TurnKind;
  readonly start: Node;
  /** Further records of the same prompt: some clients write one for each of its blocks. */
  readonly promptParts: Node[];
  readonly nodes: Node[];
  readonly followUps: (Node | QueueOperation)[];
  readonly locals: LocalSketch[];
}

/** A command that stayed between the person and the client, with what it printed. */
export interface LocalSketch {
  readonly call: Node;
  readonly outputs: Node[];
}

export interface PreambleSketch {
  readonly nodes: Node[];
  readonly locals: LocalSketch[];
}

export interface TurnSketches {
  readonly preamble: PreambleSketch;
  readonly turns: TurnSketch[];
}

/** Where the messages and calls so far stand; null is the preamble. */
interface Owners {
  readonly messages: Map<string, TurnSketch | null>;
  readonly calls: Map<string, TurnSketch | null>;
}

/** Groups the nodes of one branch, given in reading order. */
export function sketchTurns(
  nodes: readonly Node[],
  facts: Facts,
  undelivered: readonly QueueOperation[] = [],
): TurnSketches {
  const places = judgePrompts(nodes, facts);
  const preamble: PreambleSketch = { nodes: [], locals: [] };
  const turns: TurnSketch[] = [];
  const owners: Owners = { messages: new Map(), calls: new Map() };
  for (const node of nodes) {
    const place = places.get(node);
    if (place === "start") turns.push(openTurn(node));
    const owned = ownerOf(node, owners);
    const turn = owned === undefined ? (turns.at(-1) ?? null) : owned;
    (turn ?? preamble).nodes.push(node);
    claim(node, turn, owners);
    if (place === "part") turn?.promptParts.push(node);
    if (place === "followUp" || node.role === "queuedPrompt") turn?.followUps.push(node);
    if (place === undefined) addLocal(node, turn ?? preamble);
  }
  for (const message of undelivered) {
    turns.findLast(({ start }) => start.line < message.line)?.followUps.push(message);
  }
  return { preamble, turns };
}

function openTurn(start: Node): TurnSketch {
  return { kind: kindOf(start), start, promptParts: [], nodes: [], followUps: [], locals: [] };
}

function kindOf({ role }: Node): TurnKind {
  return role === "command" || role === "bash" || role === "notification" ? role : "prompt";
}

/** `copy`: a resume wrote the same prompt again, with a new uuid. */
type PromptPlace = "start" | "part" | "followUp" | "copy";

/** Prompts always start a turn, the other kinds when the model answered before the next candidate. */
function judgePrompts(nodes: readonly Node[], facts: Facts): Map<Node, PromptPlace> {
  const places = findCopies(nodes);
  let isAnswered = false;
  for (let at = nodes.length - 1; at >= 0; at--) {
    const node = nodes[at];
    if (!node) continue;
    if (node.role === "answer") isAnswered = true;
    if (!isCandidate(node) || places.has(node)) continue;
    const before = node.role === "prompt" ? lastWords(nodes, at) : undefined;
    if (before && isSamePrompt(before, node)) places.set(node, "part");
    else if (before?.role === "toolResult" && wasQueuedBefore(facts, node, before)) places.set(node, "followUp");
    else {
      if (node.role === "prompt" || isAnswered) places.set(node, "start");
      isAnswered = false;
    }
  }
  return places;
}

/** The same words at the same millisecond, and what is a part of them. */
function findCopies(nodes: readonly Node[]): Map<Node, PromptPlace> {
  const copies = new Map<Node, PromptPlace>();
  const seen = new Set<string>();
  let lastCopy: Node | undefined;
  for (const node of nodes) {
    if (node.role !== "prompt" || node.time === undefined) continue;
    const words = `${node.time} ${node.text}`;
    const isPartOfCopy = lastCopy?.uuid !== undefined && lastCopy.uuid === node.parentUuid;
    if (seen.has(words) || isPartOfCopy) {
      copies.set(node, "copy");
      lastCopy = node;
    }
    seen.add(words);
  }
  return copies;
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

/** Records of a message stay together, and a result is with its call, wherever they stand. */
function ownerOf(node: Node, { messages, calls }: Owners): TurnSketch | null | undefined {
  if (node.message !== undefined) return messages.get(node.message);
  for (const { id } of node.results ?? []) {
    const turn = calls.get(id);
    if (turn !== undefined) return turn;
  }
  return undefined;
}

function claim(node: Node, turn: TurnSketch | null, { messages, calls }: Owners): void {
  if (node.message !== undefined) messages.set(node.message, turn);
  for (const { id } of node.calls ?? []) calls.set(id, turn);
}

function addLocal(node: Node, part: PreambleSketch): void {
  switch (node.role) {
    case "command":
    case "bash":
    case "localCommand":
      part.locals.push({ call: node, outputs: [] });
      break;
    case "commandOutput":
    case "bashOutput":
    case "localOutput":
      addOutput(node, part);
      break;
  }
}

/** What was printed goes to the command before it: a local one, or the one that started the turn. */
function addOutput(node: Node, part: PreambleSketch): void {
  const local = part.locals.at(-1);
  const opener = part.nodes[0];
  const isOfOpener = (opener?.role === "command" || opener?.role === "bash") && !part.nodes.some(isAnswer);
  if (local) local.outputs.push(node);
  else if (!isOfOpener) part.locals.push({ call: node, outputs: [] });
}

function isAnswer({ role }: Node): boolean {
  return role === "answer";
}
