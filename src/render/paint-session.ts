import type { FollowUp, Local, Turn } from "../session/build-turn.js";
import type { Compaction } from "../session/compactions.js";
import type { Notice } from "../session/list-notices.js";
import type { Totals } from "../session/outline.js";
import { formatCost, formatCount, formatTime, formatTimeRange, formatTokens, totalTokens } from "./format-values.js";
import { indent, trimBlankLines } from "./indent.js";
import { neutralize } from "./neutralize.js";
import { markKept, type PaintOptions, paintCall, paintOrphanResult } from "./paint-messages.js";
import type { ShownHeader, ShownSubagent, ShownTurn } from "./shown-session.js";
import type { Style } from "./style.js";
import type { TurnItem } from "./turn-items.js";

/** The heading of a session: what it is, and what it took. */
export function paintHeader(header: ShownHeader, totals: Totals, { style }: PaintOptions): string {
  const { title, project, gitBranch, models, startedAt, endedAt, id, forkedFrom, prLinks } = header;
  const place = [project, gitBranch, models.join(", ")].filter((part) => part).join(" · ");
  const failed = totals.toolErrors > 0 ? ` (${totals.toolErrors} failed)` : "";
  const figures = [
    formatCount(totals.turns, "turn"),
    formatCount(totals.messages, "message"),
    `${formatCount(totals.toolCalls, "tool call")}${failed}`,
    totals.apiErrors > 0 ? formatCount(totals.apiErrors, "API error") : "",
    `${formatTokens(totalTokens(totals.usage))} tokens`,
    formatCost(totals.costUsd),
  ];
  const unknown = totals.unknownOutputs;
  const lines = [
    `${header.favourite ? "★ " : ""}${style.bold(neutralize(title))}`,
    neutralize(header.tags.map((tag) => `#${tag}`).join(" ")),
    neutralize(place),
    formatTimeRange(startedAt, endedAt),
    figures.filter((figure) => figure !== "").join(" · "),
    unknown > 0 ? style.dim(`output tokens of ${formatCount(unknown, "message")} are not recorded`) : "",
    style.dim(neutralize(id)),
    forkedFrom ? style.dim(`forked from ${neutralize(forkedFrom.sessionId)}`) : "",
    header.source === null ? "" : style.dim(`source ${neutralize(header.source)}`),
    header.archived ? style.dim("archived: the client's own copy is gone") : "",
    ...prLinks.map(({ url }) => `pull request ${neutralize(url ?? "")}`),
    header.note === null ? "" : indent(neutralize(header.note), "note: "),
  ];
  return `${lines.filter((line) => line !== "").join("\n")}\n`;
}

/** What stands before the first turn, where it holds anything to read. */
export function paintPreamble(items: readonly TurnItem[], options: PaintOptions): string {
  const body = paintItems(items, options);
  return body === "" ? "" : `\n${options.style.dim("before the first turn")}\n${body}`;
}

/** Warm-ups are hidden: the client launched them for itself. */
export function paintSubagents(subagents: readonly ShownSubagent[], { style }: PaintOptions): string {
  const rows = subagents
    .filter(({ warmup }) => !warmup)
    .map(({ agentId, type, description, totals }) => {
      const name = [type, description].filter((part) => part).join(": ") || agentId;
      const figures = [
        formatCount(totals.messages, "message"),
        formatCount(totals.toolCalls, "tool call"),
        `${formatTokens(totalTokens(totals.usage))} tokens`,
        formatCost(totals.costUsd),
      ];
      return `  ${neutralize(name)} ${style.dim(`(${figures.join(" · ")}; ${neutralize(agentId)})`)}`;
    });
  return rows.length === 0 ? "" : `\n${style.dim("sub-agents")}\n${rows.join("\n")}\n`;
}

const RULE_COLUMNS = 80;

export function paintTurn(shown: ShownTurn, options: PaintOptions): string {
  return paintTurnOpening(shown, options) + paintItems(shown.items, options) + paintTurnClosing(shown.turn, options);
}

export function paintTurnOpening(
  { turn, isPromptKept }: Pick<ShownTurn, "turn" | "isPromptKept">,
  options: PaintOptions,
): string {
  const rule = `── ${turn.index} ── ${formatTime(turn.startedAt)} `.padEnd(
    Math.min(options.columns, RULE_COLUMNS),
    "─",
  );
  const prompt = markKept(paintPrompt(turn, options), isPromptKept, options);
  return `\n${options.style.dim(rule)}\n${prompt}\n`;
}

export function paintItems(items: readonly TurnItem[], options: PaintOptions): string {
  return items
    .map((item) => markKept(paintItem(item, options), item.isKept, options))
    .filter((text) => text !== "")
    .map((text) => `${text}\n`)
    .join("");
}

export function paintTurnClosing(turn: Turn, { style }: PaintOptions): string {
  const marks = [
    turn.kind === "prompt" ? "" : turn.kind,
    turn.interrupted ? "interrupted" : "",
    turn.complete ? "" : "open",
  ];
  const tokens = `${formatTokens(totalTokens(turn.usage))} tokens`;
  return `${style.dim([...marks.filter((mark) => mark !== ""), tokens].join(" · "))}\n`;
}

function paintItem(item: TurnItem, options: PaintOptions): string {
  const { style, thinking } = options;
  switch (item.kind) {
    case "text": {
      const text = indent(trimBlankLines(neutralize(item.text)), "  ");
      return item.isApiError ? style.red(text) : text;
    }
    case "thinking": {
      const text = item.text === null ? "(redacted thinking)" : trimBlankLines(neutralize(item.text));
      return thinking ? style.dim(indent(text, "  ~ ")) : "";
    }
    case "call":
      return options.tools === "none" ? "" : paintCall(item.call, options);
    case "orphanResult":
      return paintOrphanResult(item.orphan, options);
    case "followUp":
      return paintFollowUp(item.followUp, options);
    case "local":
      return paintLocal(item.local, options);
    case "notice":
      return paintNotice(item.notice, options);
    case "compaction":
      return paintCompaction(item.compaction, item.keptMessages, options);
    case "file":
      return style.dim(`  (${neutralize(item.type)})`);
  }
}

function paintPrompt({ kind, prompt, context, output }: Turn, { style }: PaintOptions): string {
  const sign = kind === "bash" ? "! " : kind === "notification" ? "* " : "> ";
  const items = context.map((item) => style.dim(`  with ${describeContext(item)}`));
  const printed = output ? [style.dim(indent(trimBlankLines(neutralize(output)), "    "))] : [];
  return [paintSaid(prompt, sign, style), ...items, ...printed].join("\n");
}

/** The sign stands before every line: without colours nothing else tells a long prompt from its answer. */
function paintSaid(text: string, sign: string, style: Style): string {
  return style.bold(indent(neutralize(text).trimEnd(), sign, sign)) || sign.trimEnd();
}

function describeContext(item: Turn["context"][number]): string {
  switch (item.kind) {
    case "ide_selection":
      return `lines ${item.startLine ?? "?"} to ${item.endLine ?? "?"} of ${neutralize(item.path ?? "a file")}`;
    case "ide_opened_file":
    case "file":
      return neutralize(item.path ?? "a file");
    case "image":
    case "document":
      return neutralize(`${item.kind} ${item.mediaType ?? ""}`).trim();
  }
}

function paintFollowUp({ prompt, deliveryRecorded }: FollowUp, { style }: PaintOptions): string {
  const note = deliveryRecorded ? "" : style.dim(" (queued; delivery not recorded)");
  return paintSaid(prompt, "  > ", style) + note;
}

function paintLocal({ kind, prompt, output }: Local, { style }: PaintOptions): string {
  const head = indent(neutralize(prompt), kind === "bash" ? "  ! " : "  ");
  const printed = output ? `\n${indent(trimBlankLines(neutralize(output)), "    ")}` : "";
  return style.dim(head + printed);
}

/** What the client put in for the model is folded unless everything is asked for. */
function paintNotice({ kind, text }: Notice, { style, tools }: PaintOptions): string {
  const isFolded = kind === "injected" && tools !== "full";
  return isFolded ? "" : style.dim(indent(neutralize(text.trim()), "  * "));
}

function paintCompaction(compaction: Compaction, kept: number, { style, tools }: PaintOptions): string {
  const { trigger, preTokens, postTokens, summary } = compaction;
  const size = preTokens === null ? "" : `, ${formatTokens(preTokens)} tokens`;
  const after = postTokens === null ? "" : ` to ${formatTokens(postTokens)}`;
  const left = kept === 0 ? "" : `, ${formatCount(kept, "message")} kept`;
  const head = style.yellow(`  compacted (${neutralize(trigger ?? "unknown trigger")}${size}${after}${left})`);
  const body = summary !== null && tools === "full" ? `\n${style.dim(indent(neutralize(summary), "    "))}` : "";
  return head + body;
}
