import { stringAt } from "../../format/json.js";
import type { ContentBlock } from "../../format/record/content-block.js";
import { typedBeside } from "../../format/record/persons-words.js";
import type { AttachmentRecord, LogRecord } from "../../format/record/record.js";
import type { SessionMark } from "../facts/facts.js";
import type { Bodies, Node } from "../graph/node.js";
import { ownText } from "../prompts/classify-input.js";
import { isInterruptMarker } from "../prompts/wrappers.js";
import { describeAttachment, describeHook, describeSystem } from "./describe-events.js";

/** Text of a session that is neither a prompt, an answer nor of a tool. */
export interface Notice {
  /**
   * `system`: a message of Claude Code; `injected`: reminders, skills, caveats that the model saw; `nonHuman`: a prompt that
   * no person wrote; `notification`: of a task, without a turn of its own; `attached`: next to a tool result; `hook`: what a
   * hook printed or stopped; `context`: what happened around the session, such as a file that was changed from outside.
   */
  readonly kind: "system" | "injected" | "nonHuman" | "notification" | "attached" | "hook" | "context";
  readonly subtype: string | null;
  readonly text: string;
  /** `warning`: something was stopped, refused or failed. */
  readonly level: "info" | "warning";
  readonly line: number;
  readonly at: string | null;
}

export function listNotices(nodes: readonly Node[], bodies: Bodies, start?: Node): Notice[] {
  const notices = nodes.flatMap((node): Notice[] => {
    const record = node === start ? undefined : bodies.of(node);
    const words = record && wordsOf(node, record);
    if (!record || record.kind === "broken" || !words || words.text.trim() === "") return [];
    return [{ subtype: null, level: "info", ...words, line: node.line, at: record.timestamp ?? null }];
  });
  // The summary of Stop hooks repeats the errors that the hooks' own records hold.
  const told = new Set(notices.flatMap((notice) => (notice.kind === "hook" ? reasonIn(notice) : [])));
  return notices.filter((notice) => notice.subtype !== "stop_hook_summary" || !told.has(reasonIn(notice)));
}

function reasonIn({ text }: Notice): string {
  return text.slice(text.indexOf(": ") + 2);
}

/** What a record outside of the conversation says about it. */
export function markNotice({ type, mode, line, at }: SessionMark): Notice {
  const text = type === "ended-by-model" ? "The model ended the conversation" : `Memory switched ${mode ?? "over"}`;
  return { kind: "system", subtype: type, text, level: "info", line, at };
}

type Words = Pick<Notice, "kind" | "text"> & Partial<Pick<Notice, "subtype" | "level">>;

function wordsOf(node: Node, record: LogRecord): Words | undefined {
  if (record.kind === "system") {
    const words = describeSystem(record);
    return words && { kind: "system", subtype: record.subtype ?? null, ...words };
  }
  if (record.kind === "attachment") return node.role === "plain" ? attachmentWords(record) : undefined;
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

function attachmentWords(record: AttachmentRecord): Words | undefined {
  const { attachment, attachmentType = null, queued } = record;
  const hook = describeHook(record);
  if (hook) return { kind: "hook", subtype: stringAt(attachment, "hookName") ?? attachmentType, ...hook };
  if (queued && !isInterruptMarker(queued.text))
    return { kind: "nonHuman", subtype: attachmentType, text: queued.text };
  const words = describeAttachment(record);
  return words && { kind: "context", subtype: attachmentType, ...words };
}
