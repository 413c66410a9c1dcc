import { stringAt } from "../../format/json.js";
import type { ContentBlock } from "../../format/record/content-block.js";
import { typedBeside } from "../../format/record/persons-words.js";
import type { AttachmentRecord, LogRecord } from "../../format/record/record.js";
import type { Bodies, Node } from "../graph/node.js";
import { ownText } from "../prompts/classify-input.js";

/** Text of a session that is neither a prompt, an answer nor of a tool. */
export interface Notice {
  /**
   * `system`: a message of Claude Code; `injected`: reminders, skills, caveats that the model saw; `nonHuman`: a prompt that
   * no person wrote; `notification`: of a task, without a turn of its own; `attached`: next to a tool result; `hook`: the
   * output of a hook.
   */
  readonly kind: "system" | "injected" | "nonHuman" | "notification" | "attached" | "hook";
  readonly subtype: string | null;
  readonly text: string;
  readonly line: number;
  readonly at: string | null;
}

export function listNotices(nodes: readonly Node[], bodies: Bodies, start?: Node): Notice[] {
  return nodes.flatMap((node) => {
    const record = node === start ? undefined : bodies.of(node);
    const words = record && wordsOf(node, record);
    if (!record || record.kind === "broken" || !words || words.text.trim() === "") return [];
    return [{ subtype: null, ...words, line: node.line, at: record.timestamp ?? null }];
  });
}

type Words = Pick<Notice, "kind" | "text"> & Partial<Pick<Notice, "subtype">>;

function wordsOf(node: Node, record: LogRecord): Words | undefined {
  if (record.kind === "system" && node.role === "notice") {
    return { kind: "system", subtype: record.subtype ?? null, text: record.content ?? "" };
  }
  if (record.kind === "attachment") return hookWords(record);
  if (record.kind !== "user") return undefined;
  const typed = new Set<ContentBlock>(node.role === "toolResult" ? typedBeside(record) : []);
  const text = ownText(record.blocks.filter((block) => !typed.has(block)));
  switch (node.role) {
    case "injected":
    case "contextOnly":
      return { kind: "injected", text };
    case "notHuman":
      return { kind: "nonHuman", text };
    case "notification":
      return { kind: "notification", text };
    case "toolResult":
      return { kind: "attached", text };
    default:
      return undefined;
  }
}

function hookWords({ attachment, attachmentType }: AttachmentRecord): Words | undefined {
  if (!attachmentType?.startsWith("hook_")) return undefined;
  const { content } = attachment;
  const listed = Array.isArray(content) ? content.filter((part) => typeof part === "string").join("\n") : undefined;
  const text = stringAt(attachment, "content") ?? listed ?? stringAt(attachment, "stdout") ?? "";
  return { kind: "hook", subtype: stringAt(attachment, "hookName") ?? attachmentType, text };
}
