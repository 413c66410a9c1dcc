import type { Facts, QueueOperation } from "../facts/facts.js";
import { cutText, type Node } from "../graph/node.js";
import { isTaskNotification } from "../prompts/wrappers.js";

/** Messages that only the queue recorded: removed from it, and in no branch. */
export function undeliveredMessages(facts: Facts, nodes: readonly Node[]): QueueOperation[] {
  const deliveries = new Map<string, number[]>();
  for (const { text, role, line } of nodes) {
    if (text === undefined || !isDelivery(role)) continue;
    const lines = deliveries.get(text);
    if (lines) lines.push(line);
    else deliveries.set(text, [line]);
  }
  return removedFromQueue(facts.queue).filter(({ content, line }) => {
    const lines = deliveries.get(cutText(content ?? "")) ?? [];
    const at = lines.findIndex((delivered) => delivered > line);
    if (at >= 0) lines.splice(at, 1); // each record delivers one message
    return at < 0;
  });
}

/** Those of the messages and marks that were written while this branch was the newest part of the file. */
export function writtenDuring<Written extends { readonly line: number }>(
  branch: readonly Node[],
  messages: readonly Written[],
  nodes: readonly Node[],
): Written[] {
  if (messages.length === 0) return [];
  const own = new Set(branch);
  return messages.filter(({ line }) => {
    const before = nodes[firstFrom(nodes, line) - 1];
    return before === undefined || own.has(before);
  });
}

/** The index of the first node at or after a line; nodes are in file order. */
function firstFrom(nodes: readonly Node[], line: number): number {
  let low = 0;
  let high = nodes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((nodes[middle]?.line ?? 0) < line) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isDelivery(role: Node["role"]): boolean {
  return role === "prompt" || role === "queuedPrompt" || role === "command" || role === "bash";
}

/** `dequeue` delivers the oldest message as a record; `popAll` returns all of them to the input line. */
function removedFromQueue(operations: readonly QueueOperation[]): QueueOperation[] {
  let waiting: QueueOperation[] = [];
  const removed: QueueOperation[] = [];
  for (const operation of operations) {
    switch (operation.operation) {
      case "enqueue":
        if (isMessage(operation)) waiting.push(operation);
        break;
      case "dequeue":
        waiting.shift();
        break;
      case "popAll":
        waiting = [];
        break;
      case "remove": {
        const at = waiting.findIndex((message) => isRemovedBy(message, operation));
        const [taken] = at < 0 ? [] : waiting.splice(at, 1);
        if (taken && isByPerson(taken)) removed.push(taken);
        break;
      }
    }
  }
  return removed;
}

/** A removal without content means the oldest message that a person typed (2.1.45). */
function isRemovedBy(message: QueueOperation, { content }: QueueOperation): boolean {
  return content === null ? isByPerson(message) : message.content === content;
}

/** 2.1.45 also enqueues JSON objects about background tasks, and never removes them. */
function isMessage({ content }: QueueOperation): boolean {
  return content !== null && !content.trimStart().startsWith('{"task_id"');
}

function isByPerson({ content }: QueueOperation): boolean {
  return content !== null && !isTaskNotification(content);
}

/** Whether a prompt was in the queue before the given tool result was written. */
export function wasQueuedBefore(facts: Facts, prompt: Node, result: Node): boolean {
  return facts.queue.some(
    ({ operation, content, line }) =>
      operation === "enqueue" && content !== null && cutText(content) === prompt.text && line < result.line,
  );
}
