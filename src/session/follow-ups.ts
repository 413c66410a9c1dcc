import type { Facts, QueueOperation } from "./facts.js";
import type { Node } from "./node.js";

/** Messages that only the queue recorded: taken out of it, and never seen again. */
export function undeliveredMessages(facts: Facts, nodes: readonly Node[]): QueueOperation[] {
  const delivered = new Set(nodes.flatMap(({ text, role }) => (text !== undefined && isDelivery(role) ? [text] : [])));
  return removedFromQueue(facts.queue).filter(({ content }) => content !== null && !delivered.has(content));
}

function isDelivery(role: Node["role"]): boolean {
  return role === "prompt" || role === "queuedPrompt" || role === "command" || role === "bash";
}

/** `remove` without content takes the oldest message, as `dequeue` does; `popAll` gives them back to the person. */
function removedFromQueue(operations: readonly QueueOperation[]): QueueOperation[] {
  const waiting: QueueOperation[] = [];
  const removed: QueueOperation[] = [];
  for (const operation of operations) {
    switch (operation.operation) {
      case "enqueue":
        if (isByPerson(operation.content)) waiting.push(operation);
        break;
      case "dequeue":
        waiting.shift();
        break;
      case "popAll":
        waiting.length = 0;
        break;
      case "remove": {
        const named = waiting.findIndex(({ content }) => content === operation.content);
        removed.push(
          ...waiting.splice(operation.content === null ? 0 : named, named >= 0 || operation.content === null ? 1 : 0),
        );
        break;
      }
    }
  }
  return removed;
}

/** Background tasks use the queue too: notifications, and JSON objects that 2.1.45 enqueues. */
function isByPerson(content: string | null): boolean {
  return content !== null && !/^\s*(<task-notification>|\{"task_id")/.test(content);
}

/** Whether a prompt was waiting in the queue while the given tool result was still to come. */
export function wasQueuedBefore(facts: Facts, prompt: Node, result: Node): boolean {
  return facts.queue.some(
    ({ operation, content, line }) => operation === "enqueue" && content === prompt.text && line < result.line,
  );
}
