import { blocksOf, promptText, unwrap } from "./classify-user.js";
import { stringAt } from "./json-at.js";
import type { Row } from "./read-session.js";

export interface QueuedMessages {
  /** Texts that were put into the queue, with the line of doing so. */
  readonly enqueued: readonly { readonly line: number; readonly text: string }[];
  /** Rows after which a message was queued that nothing but the queue records (2.1.45). */
  readonly unrecorded: readonly Row[];
}

export function findQueuedMessages(rows: readonly Row[]): QueuedMessages {
  const operations = rows.filter(({ type }) => type === "queue-operation");
  const removals = new Set(operations.filter(({ json }) => json["operation"] === "remove"));
  const enqueued = operations
    .filter(({ json }) => json["operation"] === "enqueue" && isHumanText(stringAt(json, "content") ?? ""))
    .map(({ line, json }) => ({ line, text: stringAt(json, "content") ?? "" }));

  const unrecorded: Row[] = [];
  for (const { line, text } of enqueued) {
    const removal = [...removals].find(
      (row) => row.line > line && [text, null].includes(stringAt(row.json, "content")),
    );
    if (removal === undefined) continue;
    removals.delete(removal);
    const isRecorded = rows.some((row) => row.line > line && textsOf(row).includes(text));
    const before = rows.findLast((row) => row.line < line && row.uuid !== null);
    if (!isRecorded && before !== undefined) unrecorded.push(before);
  }
  return { enqueued, unrecorded };
}

/** FACTS 2.8: notifications and task descriptions go through the same queue. */
function isHumanText(text: string): boolean {
  return text !== "" && !text.startsWith("<task-notification>") && !text.startsWith('{"task_id"');
}

function textsOf(row: Row): (string | null)[] {
  if (row.type === "attachment") return [stringAt(row.json, "attachment", "prompt")];
  if (row.type !== "user") return [];
  const raw = blocksOf(row).map((block) => stringAt(block, "text"));
  return [...raw, promptText(row), unwrap(promptText(row), "command")];
}
