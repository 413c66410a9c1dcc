import { arrayAt, numberAt, objectAt, stringAt } from "../format/json.js";
import type { AttachmentRecord, LogRecord, ProgressRecord, SystemRecord } from "../format/record.js";
import type { Turn } from "../session/build-turn.js";
import type { CompactionSketch } from "../session/compactions.js";
import { type DraftEvent, toMs } from "./observation.js";

/** What happened in a turn beside its messages and tools: compactions, hooks, messages typed meanwhile, lost results. */
export function turnEvents(
  turn: Turn,
  records: readonly LogRecord[],
  compactions: readonly CompactionSketch[],
): DraftEvent[] {
  const events = [
    ...compactions.map(compactionEvent),
    ...records.flatMap((record) => hookEvent(record) ?? []),
    ...turn.followUps.map(({ prompt, at }) => toEvent("follow-up", at, {}, prompt)),
    ...turn.orphanResults.map(({ toolUseId, result, at }) =>
      toEvent("tool result without a call", at, { tool_id: toolUseId }, result),
    ),
  ];
  return events.sort((a, b) => (a.atMs ?? 0) - (b.atMs ?? 0));
}

function toEvent(
  name: string,
  at: string | null | undefined,
  attributes: Readonly<Record<string, string | number | undefined>>,
  content: string | null = null,
): DraftEvent {
  const told = Object.entries(attributes).filter((entry): entry is [string, string | number] => entry[1] !== undefined);
  return { name, atMs: toMs(at), attributes: Object.fromEntries(told), content };
}

function compactionEvent({ at, trigger, preTokens, postTokens }: CompactionSketch): DraftEvent {
  return toEvent("compaction", at, {
    trigger: trigger ?? undefined,
    pre_tokens: preTokens ?? undefined,
    post_tokens: postTokens ?? undefined,
  });
}

function hookEvent(record: LogRecord): DraftEvent | undefined {
  if (record.kind === "progress" && record.progressType === "hook_progress") return progressHook(record);
  if (record.kind === "attachment" && record.attachmentType?.startsWith("hook_")) return attachedHook(record);
  if (record.kind === "system" && record.subtype === "stop_hook_summary") return stopHooks(record);
  return undefined;
}

/** Up to 2.1.6x. */
function progressHook({ raw, timestamp }: ProgressRecord): DraftEvent {
  const data = objectAt(raw, "data");
  const name = stringAt(data, "hookName") ?? stringAt(data, "hookEvent") ?? "unnamed";
  return toEvent(`hook ${name}`, timestamp, {}, stringAt(data, "command") ?? null);
}

function attachedHook({ attachment, attachmentType, timestamp }: AttachmentRecord): DraftEvent {
  const name = stringAt(attachment, "hookName") ?? attachmentType ?? "unnamed";
  const content = stringAt(attachment, "content") ?? stringAt(attachment, "stdout");
  return toEvent(
    `hook ${name}`,
    timestamp,
    { exit_code: numberAt(attachment, "exitCode"), duration_ms: numberAt(attachment, "durationMs") },
    content || null,
  );
}

function stopHooks({ raw, timestamp }: SystemRecord): DraftEvent {
  const errors = arrayAt(raw, "hookErrors").length;
  return toEvent("hook Stop", timestamp, { hooks: numberAt(raw, "hookCount"), errors });
}
