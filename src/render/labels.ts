import type { ShellGap } from "../format/record/file-changes.js";
import type { PersonsWords } from "../format/record/persons-words.js";
import { plainModelName } from "../session/messages/model-name.js";
import type { Denial } from "../session/messages/tool-status.js";
import type { SessionCosts } from "../session/session-spend.js";
import type { Totals } from "../session/totals.js";
import type { Turn } from "../session/turns/build-turn.js";
import type { Notice } from "../session/turns/notices.js";
import type { ToolCall } from "../session/turns/tool-calls.js";
import { formatBytes, formatCost, formatCount, formatTokens, totalTokens } from "./format-values.js";
import type { ShownContext, ShownHeader, ShownSubagent, ShownTotals } from "./show-session.js";
import type { CompactionItem } from "./turn-items.js";

/** Words that terminal, HTML and Markdown output share. */
export const TURN_LABELS: Readonly<Record<Turn["kind"], string>> = {
  prompt: "You",
  command: "Command",
  bash: "Shell command",
  notification: "Background task finished",
};

export const NOTICE_LABELS: Readonly<Record<Notice["kind"], string>> = {
  system: "Claude Code",
  injected: "Added for the model",
  nonHuman: "Automatic prompt",
  notification: "Background task",
  attached: "Attached to the result",
  hook: "Hook",
  context: "Context",
};

const DENIAL_LABELS: Readonly<Record<Denial, string>> = {
  user: "denied by the user",
  rule: "denied by a permission rule",
  settings: "denied by the settings",
  hook: "denied by a hook",
  autoMode: "denied by auto mode",
  autoModeUnavailable: "denied: auto mode gave no verdict",
  interrupted: "interrupted",
  cancelled: "cancelled",
};

/** Labels of errors that repeat how the call ended. */
export const END_LABELS: ReadonlySet<string> = new Set([
  "error",
  "denied",
  "interrupted",
  ...Object.values(DENIAL_LABELS),
]);

/** How a call ended that did not run to its end, for example `denied by a permission rule`. */
export function describeEnd({ status, denial }: Pick<ToolCall, "status" | "denial">): string {
  return denial === null ? status : DENIAL_LABELS[denial];
}

/** Above what a person said through a tool call; null: their words are enough. */
export function describeWords({ kind, question }: PersonsWords): string | null {
  return kind === "plan" ? APPROVED_PLAN_LABEL : question;
}

const APPROVED_PLAN_LABEL = "Approved plan";
export const KEPT_LABEL = "kept after compaction";
export const ALL_REWOUND_LABEL = "all turns rewound";
export const QUEUED_LABEL = "Queued while Claude worked";
export const DELIVERY_UNKNOWN_LABEL = "delivery not recorded";
export const ORPHAN_RESULT_LABEL = "Result without a call";
export const UNFINISHED_LABEL = "unfinished";

/** Empty if all messages have a token count. */
export function describeMissingCounts(messages: number): string {
  if (messages === 0) return "";
  return `cost may be low: ${formatCount(messages, "message has", "messages have")} no token count`;
}

/** `["compacted 150k → 12k tokens", "auto", "3 messages kept (turns 4 to 5)"]`. */
export function describeCompaction({ compaction, ...kept }: CompactionItem): string[] {
  const { trigger, preTokens, postTokens } = compaction;
  const sizes = [preTokens, postTokens].flatMap((tokens) => (tokens === null ? [] : formatTokens(tokens)));
  return [
    sizes.length === 0 ? "compacted" : `compacted ${sizes.join(" → ")} tokens`,
    trigger ?? "unknown trigger",
    ...(kept.keptMessages === 0 ? [] : [describeKept(kept)]),
  ];
}

/** They were written before the compaction, and Claude still reads them as they are. */
function describeKept({ keptMessages, keptTurns }: Pick<CompactionItem, "keptMessages" | "keptTurns">): string {
  const [first, last] = keptTurns ?? [];
  const where = first === undefined ? "" : first === last ? ` (turn ${first})` : ` (turns ${first} to ${last})`;
  return `${formatCount(keptMessages, "message")} kept${where}`;
}

/** Empty if nothing is missing. */
export function describeMissingPreserved(records: number): string {
  if (records === 0) return "";
  const missing = `${formatCount(records, "record is", "records are")} missing that a compaction preserved`;
  return `${missing}; Claude Code resumes without all that it preserved`;
}

export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Turns, messages, tool calls, tokens and cost of a session on one line. */
export function describeTotals(totals: ShownTotals, header: Pick<ShownHeader, "resumesEmpty">): string {
  const figures = [
    ...describeContent(totals, header),
    totals.apiErrors > 0 ? formatCount(totals.apiErrors, "API error") : "",
    `${formatTokens(totalTokens(totals.totalUsage))} tokens`,
    ...describeCosts(totals, header),
  ];
  return figures.filter((figure) => figure !== "").join(" · ");
}

/** What was rewound is in none of these figures, but its tokens were used. */
function describeContent(totals: ShownTotals, { resumesEmpty }: Pick<ShownHeader, "resumesEmpty">): string[] {
  if (resumesEmpty) return [ALL_REWOUND_LABEL];
  return [formatCount(totals.turns, "turn"), formatCount(totals.messages, "message"), describeToolCalls(totals)];
}

/** `12 tool calls (2 failed, 1 denied)`. */
export function describeToolCalls(totals: Pick<Totals, "toolCalls"> & CallFailures): string {
  const failures = describeFailures(totals).join(", ");
  return formatCount(totals.toolCalls, "tool call") + (failures === "" ? "" : ` (${failures})`);
}

type CallFailures = Pick<Totals, "failedToolCalls" | "deniedToolCalls" | "interruptedToolCalls">;

/** `["2 failed", "1 denied"]`: a call that was denied did not fail. */
export function describeFailures(counts: CallFailures): string[] {
  return [
    counts.failedToolCalls > 0 ? `${counts.failedToolCalls} failed` : "",
    counts.deniedToolCalls > 0 ? `${counts.deniedToolCalls} denied` : "",
    counts.interruptedToolCalls > 0 ? `${counts.interruptedToolCalls} interrupted` : "",
  ].filter((words) => words !== "");
}

/** `["$0.25 (of it $0.04 in sub-agents; rewound: $0.06)", "copied: 3 turns, $4.80, counted in the other session"]`. */
export function describeCosts(costs: SessionCosts, { resumesEmpty } = { resumesEmpty: false }): string[] {
  // Where all turns were rewound, the heading says so.
  const parts = describeCostParts(resumesEmpty ? { ...costs, rewoundCostUsd: 0 } : costs).join("; ");
  const copied = [
    costs.copiedTurns > 0 ? formatCount(costs.copiedTurns, "turn") : "",
    costs.copiedCostUsd ? formatCost(costs.copiedCostUsd) : "",
  ].filter((words) => words !== "");
  return [
    formatCost(costs.totalCostUsd) + (parts === "" ? "" : ` (${parts})`),
    copied.length === 0 ? "" : `copied: ${copied.join(", ")}, counted in the other session`,
  ].filter((words) => words !== "");
}

/** What of the total was not spent on the active branch of the session; nothing where it is unknown. */
export function describeCostParts({
  subagentCostUsd,
  rewoundCostUsd,
}: Pick<SessionCosts, "subagentCostUsd" | "rewoundCostUsd">): string[] {
  return [
    !subagentCostUsd ? "" : `of it ${formatCost(subagentCostUsd)} in sub-agents`,
    !rewoundCostUsd ? "" : `rewound: ${formatCost(rewoundCostUsd)}`,
  ].filter((words) => words !== "");
}

export function subagentName({
  agentId,
  type,
  description,
  workflow,
}: Pick<ShownSubagent, "agentId" | "type" | "description" | "workflow">): string {
  const step = [workflow?.phase, description].filter((part) => part).join(" · ");
  return [type, step].filter((part) => part).join(": ") || agentId;
}

/** Of which session it was made, and in which one it goes on. */
export function describeRelations({ origin, continuedIn }: Pick<ShownHeader, "origin" | "continuedIn">): string[] {
  return [
    ...(origin ? [`${origin.relation} from ${origin.sessionId}`] : []),
    ...(continuedIn === null ? [] : [`continued in ${continuedIn}`]),
  ];
}

/** What a forked sub-agent began with. */
export function describeForkContext({
  sessionId,
  records,
  problem,
}: Pick<ShownContext, "sessionId" | "records" | "problem">): string {
  if (problem !== null) return `forked: ${problem}`;
  const whose = sessionId === null ? "the sub-agent that made it" : `session ${sessionId}`;
  return `forked: began with the conversation of ${whose} (${formatCount(records, "record")})`;
}

export function describeSubagentTotals(totals: Totals): string {
  return [
    formatCount(totals.messages, "message"),
    describeToolCalls(totals),
    totals.apiErrors > 0 ? formatCount(totals.apiErrors, "API error") : "",
    `${formatTokens(totalTokens(totals.usage))} tokens`,
    formatCost(totals.costUsd),
  ]
    .filter((figure) => figure !== "")
    .join(" · ");
}

/** What is not recorded of the files that a shell command changed. */
export function describeShellGap({ unnamed, reason }: ShellGap): string {
  if (reason !== null) return `not recorded (${reason})`;
  return `${formatCount(unnamed, "more file")} changed, not recorded which`;
}

/** A file, selection or picture that came with a prompt. */
export function describeContext(item: Turn["context"][number], showPath = (path: string) => path): string {
  switch (item.kind) {
    case "ide_selection":
      return `lines ${item.startLine ?? "?"} to ${item.endLine ?? "?"} of ${showPath(item.path ?? "a file")}`;
    case "ide_opened_file":
    case "file":
      return showPath(item.path ?? "a file");
    case "mention":
      return `@${item.name ?? "something"}`;
    case "image":
    case "document":
      return `${item.kind} ${item.mediaType ?? ""}`.trim();
  }
}

/** Size of the file that a Base64 text holds. */
export function formatBase64Size(base64: string): string {
  return formatBytes(Math.floor((base64.length * 3) / 4));
}

/** One name for a model, whatever provider, date or window its requests named. */
export function modelLabel(model: string | null): string {
  return model === null ? "unknown model" : plainModelName(model);
}
