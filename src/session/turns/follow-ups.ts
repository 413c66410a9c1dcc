import { countLeading, listAt } from "../../collections.js";
import type { Facts, QueueOperation } from "../facts/facts.js";
import { cutText, type Node } from "../graph/node.js";
import { isTaskNotification } from "../prompts/wrappers.js";

/** Messages that only the queue recorded: removed from it, and in no branch. */
export function undeliveredMessages(facts: Facts, nodes: readonly Node[]): QueueOperation[] {
  const lines = new Map<string, number[]>();
  for (const { text, role, line } of nodes) {
    if (text !== undefined && isDelivery(role)) listAt(lines, text).push(line);
  }
  const deliveries = new Map([...lines].map(([text, own]) => [text, takeInOrder(own)]));
  return removedFromQueue(facts.queue).filter(({ content, line }) => {
    const isDelivered = deliveries.get(cutText(content ?? ""))?.(line) ?? false;
    return !isDelivered;
  });
}

/** Each record delivers one message. Takes the first that is left behind a line; false where there is none. */
function takeInOrder(lines: readonly number[]): (line: number) => boolean {
  const next = lines.map((_, at) => at); // of each place: it, or one further on if it was taken
  const firstLeft = (start: number) => {
    let at = start;
    for (let further = next[at] ?? at; further !== at; further = next[at] ?? at) {
      next[at] = next[further] ?? further;
      at = further;
    }
    return at;
  };
  return (line) => {
    const at = firstLeft(countLeading(lines.length, (place) => (lines[place] ?? 0) <= line));
    if (at >= lines.length) return false;
    next[at] = at + 1;
    return true;
  };
}

/**
 * Those of the messages and marks that were written while a branch was the newest part of the file. What precedes the first record
 * belongs to every branch, unless only its end is asked for.
 */
export function writtenDuring<Written extends { readonly line: number }>(
  messages: readonly Written[],
  nodes: readonly Node[],
): (branch: readonly Node[], isEnd: boolean) => Written[] {
  const before = new Map<Node | null, number[]>(); // positions in `messages`
  messages.forEach(({ line }, at) => {
    listAt(before, nodes[countLeading(nodes.length, (index) => (nodes[index]?.line ?? 0) < line) - 1] ?? null).push(at);
  });
  return (branch, isEnd) => {
    if (messages.length === 0) return [];
    const own = branch.flatMap((node) => before.get(node) ?? []);
    const found = isEnd ? own : [...own, ...(before.get(null) ?? [])];
    return found.sort((a, b) => a - b).flatMap((at) => messages[at] ?? []);
  };
}

function isDelivery(role: Node["role"]): boolean {
  return role === "prompt" || role === "queuedPrompt" || role === "command" || role === "bash";
}

/**
 * `dequeue` delivers the oldest message as a record; `popAll` returns all of them to the input line. A removal without content means
 * the oldest message that a person typed (2.1.45).
 */
function removedFromQueue(operations: readonly QueueOperation[]): QueueOperation[] {
  let waiting = openQueue();
  const removed: QueueOperation[] = [];
  for (const operation of operations) {
    switch (operation.operation) {
      case "enqueue":
        if (isMessage(operation)) waiting.add(operation);
        break;
      case "dequeue":
        waiting.take();
        break;
      case "popAll":
        waiting = openQueue();
        break;
      case "remove": {
        const taken = waiting.take(operation.content ?? BY_PERSON);
        if (taken && isByPerson(taken)) removed.push(taken);
        break;
      }
    }
  }
  return removed;
}

const EVERY = Symbol("all messages");
const BY_PERSON = Symbol("messages that a person typed");

interface MessageQueue {
  add(message: QueueOperation): void;
  /** The oldest with these words, of those a person typed, or of all. */
  take(which?: string | typeof BY_PERSON | typeof EVERY): QueueOperation | undefined;
}

/** A line of its own for each way of asking, so that none is searched. */
function openQueue(): MessageQueue {
  const lines = new Map<string | symbol | null, { readonly messages: QueueOperation[]; first: number }>();
  const isTaken = new Set<QueueOperation>();
  const append = (key: string | symbol | null, message: QueueOperation) => {
    const line = lines.get(key) ?? { messages: [], first: 0 };
    line.messages.push(message);
    lines.set(key, line);
  };
  return {
    add(message) {
      append(EVERY, message);
      append(message.content, message);
      if (isByPerson(message)) append(BY_PERSON, message);
    },
    take(which = EVERY) {
      const line = lines.get(which);
      if (!line) return undefined;
      let message = line.messages[line.first];
      for (; message && isTaken.has(message); message = line.messages[line.first]) line.first += 1;
      if (message) isTaken.add(message);
      return message;
    },
  };
}

/** 2.1.45 also enqueues JSON objects about background tasks, and never removes them. */
function isMessage({ content }: QueueOperation): boolean {
  return content !== null && !content.trimStart().startsWith('{"task_id"');
}

function isByPerson({ content }: QueueOperation): boolean {
  return content !== null && !isTaskNotification(content);
}

/** Whether a prompt was in the queue before a tool result was written. */
export type QueuedTest = (prompt: Node, result: Node) => boolean;

export function queuedTest({ queue }: Facts): QueuedTest {
  const first = new Map<string, number>(); // lines, by text
  for (const { operation, content, line } of queue) {
    if (operation !== "enqueue" || content === null) continue;
    const text = cutText(content);
    if (!first.has(text)) first.set(text, line);
  }
  return ({ text }, { line }) => text !== undefined && (first.get(text) ?? Number.POSITIVE_INFINITY) < line;
}
