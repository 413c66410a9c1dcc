import type { Facts, QueueOperation } from "./facts.js";
import { cutText, type Node } from "./node.js";

/** Messages that only the queue recorded: taken out of it, and never seen again. */
export function undeliveredMessages(facts: Facts, nodes: readonly Node[]): QueueOperation[] {
  const delivered = new Set(nodes.flatMap(({ text, role }) => (text !== undefined && isDelivery(role) ? [text] : [])));
  return removedFromQueue(facts.queue).filter(({ content }) => content !== null && !delivered.has(cutText(content)));
}

function isDelivery(role: Node["role"]): boolean {
  return role === "prompt" || role === "queuedPrompt" || role === "command" || role === "bash";
}

/** `dequeue` hands the oldest message to the model as a record; `popAll` gives them all back to the person. */
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
        const taken = waiting.find((message) => isMeant(message, operation));
        waiting = waiting.filter((message) => message !== taken);
        if (taken && isByPerson(taken)) removed.push(taken);
        break;
      }
    }
  }
  return removed;
}

/** Without content it is the oldest that a person typed (2.1.45). */
function isMeant(message: QueueOperation, { content }: QueueOperation): boolean {
  return content === null ? isByPerson(message) : message.content === content;
}

/** 2.1.45 also enqueues JSON objects about background tasks, and never takes them out. */
function isMessage({ content }: QueueOperation): boolean {
  return content !== null && !content.trimStart().startsWith('{"task_id"');
}

function isByPerson({ content }: QueueOperation): boolean {
  return content !== null && !content.trimStart().startsWith("<task-notification>");
}

/** Whether a prompt was waiting in the queue while the given tool result was still to come. */
export function wasQueuedBefore(facts: Facts, prompt: Node, result: Node): boolean {
  return facts.queue.some(
    ({ operation, content, line }) =>
      operation === "enqueue" && content !== null && cutText(content) === prompt.text && line < result.line,
  );
}
