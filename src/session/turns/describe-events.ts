import { arrayAt, isTrueAt, numberAt, stringAt, valueAt } from "../../format/json.js";
import type { AttachmentRecord, SystemRecord } from "../../format/record/record.js";

/** What happened, in plain words. `warning`: something was stopped, refused or failed. */
export interface EventWords {
  readonly text: string;
  readonly level: "info" | "warning";
}

const info = (text: string): EventWords => ({ text, level: "info" });
const warning = (text: string): EventWords => ({ text, level: "warning" });

/** Undefined for what only serves Claude Code's own screen, and for what is shown in another way. */
export function describeSystem(record: SystemRecord): EventWords | undefined {
  const { subtype = "", content = "" } = record;
  if (NOT_EVENTS.has(subtype)) return undefined;
  const own = Object.hasOwn(SYSTEM_EVENTS, subtype) ? SYSTEM_EVENTS[subtype]?.(record) : undefined;
  return own ?? (content.trim() === "" ? undefined : info(content));
}

const NOT_EVENTS: ReadonlySet<string> = new Set([
  "compact_boundary",
  "turn_duration",
  "local_command",
  "voice_call_talk",
  "file_snapshot",
]);

type Describe<Record> = (record: Record) => EventWords | undefined;

const SYSTEM_EVENTS: Readonly<Record<string, Describe<SystemRecord>>> = {
  stop_hook_summary: ({ raw }) => {
    const errors = arrayAt(raw, "hookErrors").flatMap((error) => (typeof error === "string" ? error.trim() : []));
    const reason = stringAt(raw, "stopReason") ?? "";
    const who = `${stringAt(raw, "hookLabel") ?? "Stop"} hook`;
    if (isTrueAt(raw, "preventedContinuation")) return warning(phrase(`${who} ended the turn`, reason, ...errors));
    return errors.length === 0 ? undefined : warning(phrase(`${who} failed`, ...errors));
  },
  api_error: ({ raw, content = "" }) => {
    const { attempt, most, wait } = retryOf(raw);
    const words = [
      stringAt(raw, "error", "status") ?? numberAt(raw, "error", "status")?.toString() ?? "",
      content.trim() || apiMessage(valueAt(raw, "error")),
    ];
    const retry = attempt === undefined ? "" : `, retry ${attempt}${most === undefined ? "" : ` of ${most}`}${wait}`;
    return warning(`API error ${words.filter((word) => word !== "").join(" ")}`.trimEnd() + retry);
  },
  away_summary: ({ content = "" }) => info(phrase("While you were away", content)),
  memory_saved: ({ raw }) => info(phrase("Saved to memory", strings(raw, "writtenPaths").join(", "))),
  agents_killed: ({ content = "" }) => warning(content.trim() || "Background agents were stopped"),
  permission_retry: ({ raw }) => info(phrase("Allowed after a refusal", strings(raw, "commands").join(", "))),
  bridge_status: ({ raw, content = "" }) => info(phrase("Remote Control", content, stringAt(raw, "url") ?? "")),
  cloud_session_status: ({ raw, content = "" }) => info(phrase("Cloud session", content, stringAt(raw, "url") ?? "")),
  scheduled_task_fire: ({ raw, content = "" }) => {
    const cron = stringAt(raw, "cron");
    const prompt = stringAt(raw, "prompt") ?? "";
    return info(phrase(`Scheduled task ran${cron === undefined ? "" : ` (${cron})`}`, content, prompt));
  },
  model_fallback: ({ raw, content = "" }) =>
    warning(phrase(modelSwitch(raw), content.trim() || (stringAt(raw, "trigger") ?? ""))),
  model_refusal_fallback: ({ raw, content = "" }) =>
    warning(phrase(`The model refused to answer. ${modelSwitch(raw)}`, content.trim() || refusalReason(raw))),
  model_refusal_no_fallback: ({ raw, content = "" }) =>
    warning(phrase("The model refused to answer", content.trim() || refusalReason(raw))),
  model_consent_fallback: ({ raw, content = "" }) =>
    info(phrase("Choice of another model", content.trim() || (stringAt(raw, "choice") ?? ""))),
  rewind_stand_in: ({ content = "" }) => info(phrase("Stands for a message that was rewound", content)),
};

/** `head: first, second`, without what is blank. */
function phrase(head: string, ...rest: readonly string[]): string {
  const words = rest.map((text) => text.trim()).filter((text) => text !== "");
  return words.length === 0 ? head : `${head}: ${words.join(", ")}`;
}

function strings(value: unknown, key: string): string[] {
  return arrayAt(value, key).filter((item) => typeof item === "string");
}

function retryOf(raw: unknown) {
  const ms = numberAt(raw, "retryInMs");
  const wait = ms === undefined ? "" : ` in ${(ms / 1000).toFixed(1)} s`;
  return { attempt: numberAt(raw, "retryAttempt"), most: numberAt(raw, "maxRetries"), wait };
}

/** The message is inside the answer of the API, or that of the connection. */
function apiMessage(error: unknown): string {
  if (typeof error === "string") return error;
  const inner = valueAt(error, "error");
  return (
    stringAt(inner, "error", "message") ??
    stringAt(inner, "message") ??
    stringAt(error, "message") ??
    stringAt(error, "cause", "code") ??
    stringAt(error, "code") ??
    ""
  );
}

function modelSwitch(raw: unknown): string {
  const [from, to] = [stringAt(raw, "originalModel"), stringAt(raw, "fallbackModel")];
  if (to === undefined) return "Another model answers";
  return from === undefined ? `${to} answers` : `${to} answers instead of ${from}`;
}

function refusalReason(raw: unknown): string {
  return stringAt(raw, "apiRefusalExplanation") ?? stringAt(raw, "apiRefusalCategory") ?? "";
}

/** What a hook printed, stopped, changed or failed at. */
export function describeHook({ attachment, attachmentType = "" }: AttachmentRecord): EventWords | undefined {
  if (!attachmentType.startsWith("hook_")) return undefined;
  const hook = `${stringAt(attachment, "hookName") ?? stringAt(attachment, "hookEvent") ?? "A"} hook`;
  const { content } = attachment;
  const listed = Array.isArray(content) ? content.filter((part) => typeof part === "string").join("\n") : undefined;
  const said = stringAt(attachment, "content") ?? listed ?? stringAt(attachment, "stdout") ?? "";
  switch (attachmentType) {
    case "hook_blocking_error":
      return warning(phrase(`${hook} blocked`, blockingText(valueAt(attachment, "blockingError")) || said));
    case "hook_stopped_continuation":
      return warning(phrase(`${hook} ended the turn`, stringAt(attachment, "message") ?? said));
    case "hook_cancelled":
      return warning(phrase(`${hook} was cancelled`, stringAt(attachment, "command") ?? ""));
    case "hook_non_blocking_error":
    case "hook_error_during_execution": {
      const exit = numberAt(attachment, "exitCode");
      const stderr = stringAt(attachment, "stderr") ?? "";
      return warning(phrase(`${hook} failed${exit === undefined ? "" : ` (exit code ${exit})`}`, stderr || said));
    }
    case "hook_permission_decision":
      return warning(phrase(`${hook} decided`, stringAt(attachment, "decision") ?? "", reasonOf(attachment) || said));
    case "hook_system_message":
      return info(phrase(hook, said));
    default:
      return said.trim() === "" ? undefined : info(said);
  }
}

/** Claude Code puts the command in brackets before what it printed. */
function blockingText(error: unknown): string {
  const text = stringAt(error, "blockingError") ?? (typeof error === "string" ? error : "");
  const command = `[${stringAt(error, "command")}]: `;
  return (text.startsWith(command) ? text.slice(command.length) : text).trim();
}

function reasonOf(attachment: unknown): string {
  return stringAt(attachment, "reason") ?? stringAt(attachment, "permissionDecisionReason") ?? "";
}

/** Attachments that tell a reader what happened; the others are context for the model alone. */
export function describeAttachment({ attachment, attachmentType = "" }: AttachmentRecord): EventWords | undefined {
  return Object.hasOwn(ATTACHMENT_EVENTS, attachmentType) ? ATTACHMENT_EVENTS[attachmentType]?.(attachment) : undefined;
}

const ATTACHMENT_EVENTS: Readonly<Record<string, Describe<unknown>>> = {
  edited_text_file: (attachment) => info(`${fileOf(attachment)} was changed outside of the session`),
  edited_image_file: (attachment) => info(`${fileOf(attachment)} was changed outside of the session`),
  date_change: (attachment) =>
    info(phrase("The date changed", stringAt(attachment, "newDate") ?? stringAt(attachment, "date") ?? "")),
  goal_status: (attachment) => {
    const state = isTrueAt(attachment, "met") ? "Goal reached" : "Goal not reached yet";
    return info(phrase(state, stringAt(attachment, "condition") ?? "", stringAt(attachment, "reason") ?? ""));
  },
  session_cron_carry: (attachment) => {
    const tasks = arrayAt(attachment, "tasks").length;
    return tasks === 0 ? undefined : info(`${tasks} scheduled task${tasks === 1 ? "" : "s"} carried over`);
  },
  fork_briefing: (attachment) => info(phrase("Briefing of the fork", stringAt(attachment, "text") ?? "")),
  max_turns_reached: (attachment) => {
    const most = numberAt(attachment, "maxTurns");
    return warning(`Stopped: the limit of ${most === undefined ? "" : `${most} `}turns was reached`);
  },
  task_status: (attachment) =>
    info(
      phrase(
        "Background task",
        stringAt(attachment, "description") ?? "",
        stringAt(attachment, "status") ?? "",
        stringAt(attachment, "deltaSummary") ?? "",
      ),
    ),
  teammate_mailbox: (attachment) => {
    const messages = arrayAt(attachment, "messages").map((message) =>
      phrase(stringAt(message, "from") ?? "A teammate", stringAt(message, "text") ?? ""),
    );
    return messages.length === 0 ? undefined : info(messages.join("\n"));
  },
  plan_mode_exit: () => info("Plan mode ended"),
  auto_mode_exit: () => info("Auto mode ended"),
  whole_texts_withdrawn: () => info("Claude Code withdrew texts that it had sent whole"),
  tool_results_cut: () => info("Claude Code cut earlier tool results"),
  thinking_stripped: () => info("Claude Code removed earlier thinking"),
};

function fileOf(attachment: unknown): string {
  return stringAt(attachment, "displayPath") ?? stringAt(attachment, "filename") ?? "A file";
}
