import type { PersonsWords } from "../../format/record/persons-words.js";
import type { FollowUp, Local, Turn } from "../../session/turns/build-turn.js";
import type { Notice } from "../../session/turns/notices.js";
import type { OrphanResult, ToolCall } from "../../session/turns/tool-calls.js";
import { formatCost, formatCount, formatDuration, formatTime, formatTokens, totalTokens } from "../format-values.js";
import {
  capitalize,
  DELIVERY_UNKNOWN_LABEL,
  describeCompaction,
  describeContext,
  describeEnd,
  describeForkContext,
  describeSubagentTotals,
  describeWords,
  NOTICE_LABELS,
  ORPHAN_RESULT_LABEL,
  QUEUED_LABEL,
  subagentName,
  TURN_LABELS,
  UNFINISHED_LABEL,
} from "../labels.js";
import type { ShownSession, ShownSubagent, ShownTurn } from "../show-session.js";
import { failingLine } from "../tools/failing-line.js";
import { findError, shownToolName, type ToolView } from "../tools/view-parts.js";
import { viewTool } from "../tools/view-tool.js";
import type { CompactionItem, TurnItem } from "../turn-items.js";
import {
  CLOSE_DETAILS,
  codeSpan,
  containMarkdown,
  fenced,
  htmlWords,
  openDetails,
  plainWords,
  quoted,
} from "./contain-text.js";
import { type Pictures, partMarkdown, pictureMarkdown } from "./part-markdown.js";

export interface MarkdownOptions {
  readonly tools: "full" | "brief" | "none";
  readonly thinking: boolean;
  /** Named if it is left out. */
  readonly pictures?: Pictures | undefined;
  /** Levels of nested sub-agents to write. */
  readonly depth: number;
  /** All turns are written, and so all sub-agents. */
  readonly isWhole: boolean;
}

export interface MarkdownContext {
  /** The session whose turns are written: the exported one or a sub-agent's. */
  readonly session: ShownSession;
  readonly options: MarkdownOptions;
  readonly depth: number; // remaining levels of sub-agents
  /** Ids of the sub-agents that are written already: each appears once. */
  readonly shownAgents: Set<string>;
}

/** The prompt, the items of the turn and its figures. Every block begins with a blank line. */
export function* turnMarkdown(shown: ShownTurn, context: MarkdownContext): Generator<string> {
  const { turn, items, costUsd } = shown;
  yield promptMarkdown(turn);
  yield* itemsMarkdown(items, context);
  yield footerMarkdown(turn, costUsd);
}

export function* itemsMarkdown(items: readonly TurnItem[], context: MarkdownContext): Generator<string> {
  for (const item of items) yield* itemMarkdown(item, context);
}

function promptMarkdown({ kind, prompt, context, output }: Turn): string {
  const label = kind === "bash" || kind === "notification" ? `\n**${TURN_LABELS[kind]}**\n` : "";
  const words = kind === "bash" ? fenced(prompt, "sh") : containMarkdown(prompt, { isQuoted: true });
  const said = words === "" ? "" : `\n${quoted(words)}`;
  const items = context.map((item) => `\n*with* ${contextMarkdown(item)}\n`);
  return label + said + items.join("") + outputMarkdown(output);
}

function contextMarkdown(item: Turn["context"][number]): string {
  const isFile = item.kind !== "image" && item.kind !== "document" && item.kind !== "mention";
  return isFile ? describeContext(item, codeSpan) : plainWords(describeContext(item));
}

function outputMarkdown(output: string | null): string {
  return output === null || output.trim() === "" ? "" : `\n${fenced(output)}`;
}

function* itemMarkdown(item: TurnItem, context: MarkdownContext): Generator<string> {
  switch (item.kind) {
    case "text":
      yield item.isApiError ? `\n**API error:** ${plainWords(item.text)}\n` : `\n${containMarkdown(item.text)}`;
      return;
    case "thinking":
      if (context.options.thinking) yield thinkingMarkdown(item.text);
      return;
    case "call":
      if (context.options.tools !== "none") yield* callMarkdown(item.call, context);
      return;
    case "words":
      yield wordsMarkdown(item.words);
      return;
    case "orphanResult":
      yield orphanMarkdown(item.orphan, context.options);
      return;
    case "followUp":
      yield followUpMarkdown(item.followUp);
      return;
    case "local":
      yield localMarkdown(item.local);
      return;
    case "notice":
      yield noticeMarkdown(item.notice, context.options);
      return;
    case "compaction":
      yield compactionMarkdown(item);
      return;
    case "file":
      yield fileMarkdown(item, context.options);
      return;
  }
}

function fileMarkdown({ type, file }: Extract<TurnItem, { kind: "file" }>, { pictures }: MarkdownOptions): string {
  const isImage = file?.mediaType.startsWith("image/") ?? false;
  if (file && isImage && pictures !== undefined && pictures !== "named") return pictureMarkdown(file, pictures);
  return `\n*${plainWords([type, file?.mediaType ?? ""].join(" "))}*\n`;
}

function thinkingMarkdown(text: string | null): string {
  if (text === null) return "\n*thinking, encrypted by the API*\n";
  return `\n${openDetails("Thinking")}\n${containMarkdown(text)}\n${CLOSE_DETAILS}`;
}

function orphanMarkdown({ toolUseId, result, isError }: OrphanResult, { tools }: MarkdownOptions): string {
  if (tools === "none") return "";
  const head = `${isError ? "✗" : "?"} ${ORPHAN_RESULT_LABEL}:`;
  if (tools === "brief" || result.trim() === "") return `\n${head} ${codeSpan(toolUseId)}\n`;
  return `\n${openDetails(`${head} <code>${htmlWords(toolUseId)}</code>`)}\n${fenced(result)}\n${CLOSE_DETAILS}`;
}

function followUpMarkdown({ prompt, deliveryRecorded, images }: FollowUp): string {
  const note = deliveryRecorded ? "" : ` (${DELIVERY_UNKNOWN_LABEL})`;
  const pictures = images > 0 ? ` with ${formatCount(images, "image")}` : "";
  return `\n**${QUEUED_LABEL}**${note}${pictures}\n\n${quoted(containMarkdown(prompt, { isQuoted: true }))}`;
}

function wordsMarkdown(words: PersonsWords): string {
  const label = describeWords(words) ?? TURN_LABELS.prompt;
  return `\n**${plainWords(label)}**\n\n${quoted(containMarkdown(words.text.trim(), { isQuoted: true }))}`;
}

function localMarkdown({ kind, prompt, output }: Local): string {
  return `\n*${kind === "bash" ? "shell" : "local"}* ${codeSpan(prompt)}\n${outputMarkdown(output)}`;
}

/** Text that Claude Code added for the model is folded. */
function noticeMarkdown({ kind, subtype, text }: Notice, { tools }: MarkdownOptions): string {
  if (kind === "injected" && tools !== "full") return "";
  const name = NOTICE_LABELS[kind];
  const words = text.trim();
  if (kind !== "injected" && !words.includes("\n")) return `\n*${name}* ${plainWords(words)}\n`;
  const summary = htmlWords([name, subtype].filter((part) => part).join(": "));
  return `\n${openDetails(summary)}\n${fenced(words)}\n${CLOSE_DETAILS}`;
}

function compactionMarkdown(item: CompactionItem): string {
  const { summary } = item.compaction;
  const head = capitalize(describeCompaction(item).join(", "));
  if (summary === null || summary.trim() === "") return `\n***\n\n**${plainWords(head)}**\n`;
  return `\n***\n\n${openDetails(`<b>${htmlWords(head)}</b>`)}\n${containMarkdown(summary)}\n${CLOSE_DETAILS}`;
}

function footerMarkdown(turn: Turn, costUsd: number | null): string {
  const facts = [
    turn.kind === "prompt" ? "" : turn.kind,
    turn.interrupted ? "interrupted" : "",
    turn.complete ? "" : UNFINISHED_LABEL,
    formatTime(turn.startedAt),
    turn.durationMs === null ? "" : formatDuration(turn.durationMs),
    `${formatTokens(totalTokens(turn.usage))} tokens`,
    formatCost(costUsd),
  ];
  return `\n<sub>${plainWords(facts.filter((part) => part !== "").join(" · "))}</sub>\n`;
}

/** A tool call, folded, with the sub-agents that it launched inside. */
function* callMarkdown(call: ToolCall, context: MarkdownContext): Generator<string> {
  const view = viewTool(call);
  const { title, parts } = view;
  const agents = context.depth === 0 ? [] : context.session.launchedBy(call.id);
  if (context.options.tools === "brief") {
    yield briefCall(call, view);
    for (const agent of agents) yield* subagentMarkdown(agent, context);
    return;
  }
  const name = `<b>${htmlWords(shownToolName(call.name))}</b>`;
  const what = title === "" ? "" : ` <code>${htmlWords(title)}</code>`;
  yield `\n${openDetails(`${sign(call)} ${name}${what}${took(call)}`)}`;
  for (const part of parts) yield partMarkdown(part, context.options.pictures);
  for (const agent of agents) yield* subagentMarkdown(agent, context);
  yield `\n${CLOSE_DETAILS}`;
}

/** A paragraph rather than a list item: Markdown of a session that follows must not continue the list. */
function briefCall(call: ToolCall, { title, parts }: ToolView): string {
  const reason = call.status === "ok" ? "" : failingLine(findError(parts)?.text ?? "").slice(0, REASON_CHARACTERS);
  const why = reason === "" ? "" : `: ${plainWords(reason)}`;
  const what = title === "" ? "" : ` ${codeSpan(title)}`;
  return `\n${sign(call)} **${plainWords(shownToolName(call.name))}**${what}${took(call)}${why}\n`;
}

const REASON_CHARACTERS = 200;

function sign({ status, denial }: ToolCall): string {
  switch (status) {
    case "ok":
      return "✓";
    case "orphan":
      return "? (no result)";
    case "error":
      return "✗";
    case "denied":
    case "interrupted":
      return `✗ (${describeEnd({ status, denial })})`;
  }
}

function took({ durationMs }: ToolCall): string {
  return durationMs === null ? "" : ` · ${formatDuration(durationMs)}`;
}

/** All turns of a sub-agent, folded. */
export function* subagentMarkdown(subagent: ShownSubagent, context: MarkdownContext): Generator<string> {
  const { agentId, totals } = subagent;
  if (context.shownAgents.has(agentId)) return;
  context.shownAgents.add(agentId);
  const name = htmlWords(subagentName(subagent));
  yield `\n${openDetails(`Sub-agent <b>${name}</b> · ${describeSubagentTotals(totals)}`)}`;
  const session = subagent.open();
  const inside = { ...context, session, depth: context.depth - 1 };
  const began = session.context();
  if (began) yield `\n${plainWords(capitalize(describeForkContext(began)))}\n`;
  for (const shown of session.turns()) yield* turnMarkdown(shown, inside);
  yield `\n${CLOSE_DETAILS}`;
}
