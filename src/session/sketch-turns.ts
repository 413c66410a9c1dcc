import type { Facts, QueueOperation } from "./facts.js";
import { undeliveredMessages, wasQueuedBefore } from "./follow-ups.js";
import type { Node } from "./node.js";

export type TurnKind = "prompt" | "command" | "bash" | "notification";

/** A turn's skeleton: which records it is made of. */
export interface TurnSketch {
  readonly kind: TurnKind;
  readonly start: Node;
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
type Owners = Map<string, TurnSketch | null>;

/** Groups the nodes of one branch, given in reading order. */
export function sketchTurns(nodes: readonly Node[], facts: Facts): TurnSketches {
  const starts = findStarts(nodes, facts);
  const preamble: PreambleSketch = { nodes: [], locals: [] };
  const turns: TurnSketch[] = [];
  const owner: Owners = new Map();
  for (const node of nodes) {
    if (starts.has(node)) turns.push(openTurn(node));
    const owned = ownerOf(node, owner);
    const turn = owned === undefined ? (turns.at(-1) ?? null) : owned;
    (turn ?? preamble).nodes.push(node);
    claim(node, turn, owner);
    if (turn && isFollowUp(node, turn)) turn.followUps.push(node);
    addLocal(node, turn ?? preamble, starts);
  }
  addUndelivered(turns, nodes, facts);
  return { preamble, turns };
}

function openTurn(start: Node): TurnSketch {
  return { kind: kindOf(start), start, nodes: [], followUps: [], locals: [] };
}

function kindOf({ role }: Node): TurnKind {
  return role === "command" || role === "bash" || role === "notification" ? role : "prompt";
}

/** Prompts always start a turn, the other kinds when the model answered before the next candidate. */
function findStarts(nodes: readonly Node[], facts: Facts): Set<Node> {
  const starts = new Set<Node>();
  let isAnswered = false;
  for (let at = nodes.length - 1; at >= 0; at--) {
    const node = nodes[at];
    if (!node) continue;
    if (node.role === "answer") isAnswered = true;
    if (!isCandidate(node) || isQueuedPrompt(nodes, at, facts)) continue;
    if (node.role === "prompt" || isAnswered) starts.add(node);
    isAnswered = false;
  }
  return starts;
}

function isCandidate({ role }: Node): boolean {
  return role === "prompt" || role === "command" || role === "bash" || role === "notification";
}

/** A prompt that waited in the queue and was handed over right after a tool result steers the running turn. */
function isQueuedPrompt(nodes: readonly Node[], at: number, facts: Facts): boolean {
  const node = nodes[at];
  if (node?.role !== "prompt") return false;
  const before = nodes
    .slice(Math.max(0, at - MAX_SIDE_LINES), at)
    .findLast(({ role }) => role !== "plain" && role !== "queuedPrompt");
  return before?.role === "toolResult" && wasQueuedBefore(facts, node, before);
}

const MAX_SIDE_LINES = 50;

/** Records of a message stay together, and a result is with its call, wherever they stand. */
function ownerOf(node: Node, owner: Owners): TurnSketch | null | undefined {
  if (node.message !== undefined) return owner.get(`message ${node.message}`);
  for (const { id } of node.results ?? []) {
    const turn = owner.get(`call ${id}`);
    if (turn !== undefined) return turn;
  }
  return undefined;
}

function claim(node: Node, turn: TurnSketch | null, owner: Owners): void {
  if (node.message !== undefined) owner.set(`message ${node.message}`, turn);
  for (const { id } of node.calls ?? []) owner.set(`call ${id}`, turn);
}

function isFollowUp(node: Node, turn: TurnSketch): boolean {
  return node.role === "queuedPrompt" || (node.role === "prompt" && node !== turn.start);
}

function addLocal(node: Node, part: PreambleSketch, starts: ReadonlySet<Node>): void {
  if (starts.has(node)) return;
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
  if (local) local.outputs.push(node);
  else if (opener?.role !== "command" && opener?.role !== "bash") part.locals.push({ call: node, outputs: [] });
}

/** A message that only the queue knows belongs to the turn that was running when it was typed. */
function addUndelivered(turns: readonly TurnSketch[], nodes: readonly Node[], facts: Facts): void {
  for (const message of undeliveredMessages(facts, nodes)) {
    turns.findLast(({ start }) => start.line < message.line)?.followUps.push(message);
  }
}
