import { listAt } from "../../collections.js";
import { arrayAt, numberAt, objectAt, stringAt } from "../../format/json.js";
import type { AttachmentRecord, LogRecord, ProgressRecord, SystemRecord } from "../../format/record/record.js";
import { describeHook, describeSystem } from "../../session/turns/describe-events.js";
import type { Exchange } from "./exchange.js";
import { type Draft, PLAIN, toMs } from "./observation.js";
import { isOwnHook } from "./own-hook.js";
import { originOf, spanIdOf } from "./span-ids.js";

/** The hooks that ran, below the call that they are about, else beside it. */
export interface ObservedHooks {
  ofTool(callId: string): readonly Draft[];
  /** Those that no call has taken. */
  others(): readonly Draft[];
}

export function observeHooks({ records, toolCalls }: Exchange, parentSpanId: string): ObservedHooks {
  const calls = new Set(toolCalls.map(({ id }) => id));
  const runs = records.flatMap((record) => toRun(record) ?? []).filter((run) => !isOurs(run));
  const told = new Set(runs.flatMap(({ run, isSummary }) => (isSummary ? [] : run)));
  const byCall = new Map<string, Draft[]>();
  const others: Draft[] = [];
  for (const { run, isSummary, draft } of runs) {
    // A summary repeats what the hooks' own records tell.
    if (isSummary && told.has(run) && draft.level === "DEFAULT") continue;
    if (calls.has(run)) listAt(byCall, run).push({ ...draft, parentSpanId: spanIdOf("tool", run) });
    else others.push({ ...draft, parentSpanId });
  }
  return {
    ofTool: (callId) => {
      const own = byCall.get(callId) ?? [];
      byCall.delete(callId);
      return own;
    },
    others: () => [...others, ...[...byCall.values()].flat()],
  };
}

interface HookRun {
  /** The id of the call that it is about, else its own. */
  readonly run: string;
  readonly isSummary: boolean;
  readonly commands: readonly string[]; // as far as they are known
  readonly draft: Draft;
}

/** Turnlog's own hook, which every turn would have, as long as it did what it should. */
function isOurs({ commands, draft }: HookRun): boolean {
  return draft.level === "DEFAULT" && commands.length > 0 && commands.every(isOwnHook);
}

function toRun(record: LogRecord): HookRun | undefined {
  if (record.kind === "progress" && record.progressType === "hook_progress") return progressHook(record);
  if (record.kind === "attachment" && record.attachmentType?.startsWith("hook_")) return attachedHook(record);
  if (record.kind === "system" && record.subtype === "stop_hook_summary") return stopHooks(record);
  return undefined;
}

/** Up to 2.1.6x: it says that a hook started. */
function progressHook(record: ProgressRecord): HookRun {
  const data = objectAt(record.raw, "data");
  const name = stringAt(data, "hookName") ?? stringAt(data, "hookEvent") ?? "unnamed";
  const at = toMs(record.timestamp);
  const command = stringAt(data, "command");
  const facts = { hook_event: stringAt(data, "hookEvent") };
  return {
    run: stringAt(record.raw, "toolUseID") ?? "",
    isSummary: false,
    commands: command === undefined ? [] : [command],
    draft: { ...toDraft(record, name, facts, command), startMs: at, endMs: at },
  };
}

/** The record is written when the hook has ended. */
function attachedHook(record: AttachmentRecord): HookRun {
  const { attachment, attachmentType } = record;
  const name = stringAt(attachment, "hookName") ?? stringAt(attachment, "hookEvent") ?? attachmentType ?? "unnamed";
  const durationMs = numberAt(attachment, "durationMs");
  const endMs = toMs(record.timestamp);
  const words = describeHook(record);
  const command = stringAt(attachment, "command") ?? stringAt(attachment, "blockingError", "command");
  const facts = {
    hook_event: stringAt(attachment, "hookEvent"),
    exit_code: numberAt(attachment, "exitCode"),
    outcome: attachmentType === "hook_success" ? undefined : attachmentType?.replace(/^hook_/, ""),
    decision: stringAt(attachment, "decision"),
  };
  return {
    run: stringAt(attachment, "toolUseID") ?? "",
    isSummary: false,
    commands: command === undefined ? [] : [command],
    draft: {
      ...toDraft(record, name, facts, command),
      startMs: endMs === null ? null : endMs - (durationMs ?? 0),
      endMs,
      output: words && { kind: "value", value: words.text },
      ...levelOf(words?.level, words?.text),
    },
  };
}

function stopHooks(record: SystemRecord): HookRun {
  const { raw } = record;
  const words = describeSystem(record);
  const commands = arrayAt(raw, "hookInfos").flatMap((info) => stringAt(info, "command") ?? []);
  const facts = { hook_event: "Stop", hooks: numberAt(raw, "hookCount"), errors: arrayAt(raw, "hookErrors").length };
  const endMs = toMs(record.timestamp);
  const durationMs = numberAt(raw, "totalDurationMs") ?? 0;
  return {
    run: stringAt(raw, "toolUseID") ?? "",
    isSummary: true,
    commands,
    draft: {
      ...toDraft(record, "Stop", facts, commands.join("\n") || undefined),
      startMs: endMs === null ? null : endMs - durationMs,
      endMs,
      ...levelOf(words?.level, words?.text),
    },
  };
}

function toDraft(
  record: Exclude<LogRecord, { kind: "broken" }>,
  name: string,
  facts: Readonly<Record<string, string | number | undefined>>,
  command: string | undefined,
): Draft {
  const known = Object.entries(facts).filter(([, value]) => value !== undefined);
  return {
    ...PLAIN,
    kind: "hook",
    spanId: spanIdOf("hook", originOf(record) ?? `${record.sessionId} line ${record.line}`),
    parentSpanId: null,
    name,
    startMs: null,
    endMs: null,
    input: command === undefined ? undefined : { kind: "value", value: command },
    metadata: { hook_name: name, ...Object.fromEntries(known) },
  };
}

/** Something was stopped, refused, or failed. */
function levelOf(
  level: "info" | "warning" | undefined,
  text: string | undefined,
): Pick<Draft, "level" | "statusMessage"> {
  return level === "warning"
    ? { level: "WARNING", statusMessage: text ?? null }
    : { level: "DEFAULT", statusMessage: null };
}
