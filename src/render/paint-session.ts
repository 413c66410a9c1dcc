import type { FollowUp, Local, Preamble, Turn } from "../session/build-turn.js";
import type { Compaction } from "../session/compactions.js";
import type { SessionHeader } from "../session/describe-session.js";
import type { KeptRecords } from "../session/kept-records.js";
import type { Notice } from "../session/list-notices.js";
import { mergeByTime } from "../session/merge-by-time.js";
import type { Totals } from "../session/outline.js";
import { formatCost, formatCount, formatTime, formatTimeRange, formatTokens, totalTokens } from "./format-values.js";
import { indent, trimBlankLines } from "./indent.js";
import { neutralize } from "./neutralize.js";
import { markKept, type PaintedPart, type PaintOptions, paintMessages, paintOrphanResult } from "./paint-messages.js";
import type { Style } from "./style.js";

/** What a person added to a session, and where turnlog found it. */
export interface PaintedFacts {
  readonly tags: readonly string[];
  readonly favourite: boolean;
  readonly note: string | null;
  readonly source: string | null;
  readonly archived: boolean;
}

/** The heading of a session: what it is, and what it took. */
export function paintHeader(header: SessionHeader & PaintedFacts, totals: Totals, { style }: PaintOptions): string {
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

/** The compactions among the shown records, and what any compaction of the branch kept. */
export interface Cuts {
  readonly compactions: readonly Compaction[];
  readonly kept: KeptRecords;
}

/** What stands before the first turn, where it holds anything to read. */
export function paintPreamble(preamble: Preamble, cuts: Cuts, options: PaintOptions): string {
  const parts = weave({ ...preamble, followUps: [] }, cuts, options);
  return parts.length === 0 ? "" : `\n${options.style.dim("before the first turn")}\n${parts.join("\n")}\n`;
}

/** What a view tells of a sub-agent. */
export interface PaintedSubagent {
  readonly agentId: string;
  readonly type: string | null;
  readonly description: string | null;
  readonly warmup: boolean;
  readonly totals: Totals;
}

/** Warm-ups are hidden: the client launched them for itself. */
export function paintSubagents(subagents: readonly PaintedSubagent[], { style }: PaintOptions): string {
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

export function paintTurn(turn: Turn, cuts: Cuts, options: PaintOptions): string {
  const body = paintTurnBody(turn, cuts, options);
  return paintTurnOpening(turn, cuts.kept, options) + body + paintTurnClosing(turn, options);
}

export function paintTurnOpening(turn: Turn, kept: KeptRecords, options: PaintOptions): string {
  const rule = `── ${turn.index} ── ${formatTime(turn.startedAt)} `.padEnd(
    Math.min(options.columns, RULE_COLUMNS),
    "─",
  );
  return `\n${options.style.dim(rule)}\n${paintPrompt(turn, kept, options)}\n`;
}

export function paintTurnBody(part: Woven, cuts: Cuts, options: PaintOptions): string {
  return weave(part, cuts, options)
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

interface Woven extends Preamble {
  readonly followUps: readonly FollowUp[];
}

/** The answers, and all that happened between them where it happened. */
function weave(
  { messages, toolCalls, orphanResults, locals, notices, followUps }: Woven,
  { compactions, kept }: Cuts,
  options: PaintOptions,
): string[] {
  const marked = <T extends { readonly line: number }>(parts: readonly T[], paint: (part: T) => PaintedPart) =>
    parts.map((part) => {
      const { timestamp, text } = paint(part);
      return { timestamp, text: markKept(text, kept.lines.has(part.line), options) };
    });
  const parts = mergeByTime<PaintedPart>(
    paintMessages(messages, toolCalls, kept, options),
    marked(notices, (notice) => paintNotice(notice, options)),
    marked(orphanResults, (result) => paintOrphanResult(result, options)),
    marked(followUps, (followUp) => paintFollowUp(followUp, options)),
    marked(locals, (local) => paintLocal(local, options)),
    compactions.map((compaction) => paintCompaction(compaction, kept.counts.get(compaction.line) ?? 0, options)),
  );
  return parts.map(({ text }) => text).filter((text) => text !== "");
}

function paintPrompt({ kind, prompt, context, output, line }: Turn, kept: KeptRecords, options: PaintOptions): string {
  const { style } = options;
  const sign = kind === "bash" ? "! " : kind === "notification" ? "* " : "> ";
  const items = context.map((item) => style.dim(`  with ${describeContext(item)}`));
  const printed = output ? [style.dim(indent(trimBlankLines(neutralize(output)), "    "))] : [];
  const asked = [paintSaid(prompt, sign, style), ...items, ...printed].join("\n");
  return markKept(asked, kept.lines.has(line), options);
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

function paintFollowUp({ prompt, at, deliveryRecorded }: FollowUp, { style }: PaintOptions): PaintedPart {
  const note = deliveryRecorded ? "" : style.dim(" (queued; delivery not recorded)");
  return { timestamp: at, text: paintSaid(prompt, "  > ", style) + note };
}

function paintLocal({ kind, prompt, output, at }: Local, { style }: PaintOptions): PaintedPart {
  const head = indent(neutralize(prompt), kind === "bash" ? "  ! " : "  ");
  const printed = output ? `\n${indent(trimBlankLines(neutralize(output)), "    ")}` : "";
  return { timestamp: at, text: style.dim(head + printed) };
}

/** What the client put in for the model is folded unless everything is asked for. */
function paintNotice({ kind, text, at }: Notice, { style, tools }: PaintOptions): PaintedPart {
  const isFolded = kind === "injected" && tools !== "full";
  return { timestamp: at, text: isFolded ? "" : style.dim(indent(neutralize(text.trim()), "  * ")) };
}

function paintCompaction(compaction: Compaction, kept: number, { style, tools }: PaintOptions): PaintedPart {
  const { at, trigger, preTokens, postTokens, summary } = compaction;
  const size = preTokens === null ? "" : `, ${formatTokens(preTokens)} tokens`;
  const after = postTokens === null ? "" : ` to ${formatTokens(postTokens)}`;
  const left = kept === 0 ? "" : `, ${formatCount(kept, "message")} kept`;
  const head = style.yellow(`  compacted (${neutralize(trigger ?? "unknown trigger")}${size}${after}${left})`);
  const body = summary !== null && tools === "full" ? `\n${style.dim(indent(neutralize(summary), "    "))}` : "";
  return { timestamp: at, text: head + body };
}
