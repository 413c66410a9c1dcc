import type { Preamble, Turn } from "../session/build-turn.js";
import type { Compaction } from "../session/compactions.js";
import type { SessionHeader } from "../session/describe-session.js";
import type { Totals } from "../session/outline.js";
import { formatCost, formatCount, formatTime, formatTokens, totalTokens } from "./format-values.js";
import { neutralize } from "./neutralize.js";
import { type PaintOptions, paintMessages } from "./paint-messages.js";

/** The heading of a session: what it is, and what it took. */
export function paintHeader(header: SessionHeader, totals: Totals, { style }: PaintOptions): string {
  const { title, project, gitBranch, models, startedAt, endedAt, id, forkedFrom, prLinks } = header;
  const place = [project, gitBranch, models.join(", ")].filter((part) => part).join(" · ");
  const time = startedAt === endedAt ? formatTime(startedAt) : `${formatTime(startedAt)} to ${formatTime(endedAt)}`;
  const failed = totals.toolErrors > 0 ? ` (${totals.toolErrors} failed)` : "";
  const figures = [
    formatCount(totals.turns, "turn"),
    formatCount(totals.messages, "message"),
    `${formatCount(totals.toolCalls, "tool call")}${failed}`,
    `${formatTokens(totalTokens(totals.usage))} tokens`,
    formatCost(totals.costUsd),
  ];
  const unknown = totals.unknownOutputs;
  const lines = [
    style.bold(neutralize(title)),
    neutralize(place),
    time,
    figures.join(" · "),
    unknown > 0 ? style.dim(`output tokens of ${formatCount(unknown, "message")} are not recorded`) : "",
    style.dim(id),
    forkedFrom ? style.dim(`forked from ${forkedFrom.sessionId}`) : "",
    ...prLinks.map(({ url }) => `pull request ${neutralize(url ?? "")}`),
  ];
  return `${lines.filter((line) => line !== "").join("\n")}\n`;
}

/** What stands before the first prompt, where it holds anything to read. */
export function paintPreamble({ messages, toolCalls, locals }: Preamble, options: PaintOptions): string {
  const parts = [...paintMessages(messages, toolCalls, options), ...locals.map((local) => paintLocal(local, options))];
  return parts.length === 0 ? "" : `\n${options.style.dim("before the first prompt")}\n${parts.join("\n")}\n`;
}

const RULE_COLUMNS = 80;

export function paintTurn(turn: Turn, compactions: readonly Compaction[], options: PaintOptions): string {
  const { style } = options;
  const marks = [
    turn.kind === "prompt" ? "" : turn.kind,
    turn.interrupted ? "interrupted" : "",
    turn.complete ? "" : "open",
  ];
  const parts = [
    style.dim(
      `── ${turn.index} ── ${formatTime(turn.startedAt)} `.padEnd(Math.min(options.columns, RULE_COLUMNS), "─"),
    ),
    paintPrompt(turn, options),
    ...paintMessages(turn.messages, turn.toolCalls, options),
    ...turn.followUps.map(({ prompt, deliveryRecorded }) => {
      const note = deliveryRecorded ? "" : style.dim(" (queued; delivery not recorded)");
      return indentAfter("  > ", neutralize(prompt), style.bold) + note;
    }),
    ...turn.locals.map((local) => paintLocal(local, options)),
    ...compactions.map((compaction) => paintCompaction(compaction, options)),
    style.dim([...marks.filter((mark) => mark !== ""), `${formatTokens(totalTokens(turn.usage))} tokens`].join(" · ")),
  ];
  return `\n${parts.filter((part) => part !== "").join("\n")}\n`;
}

function paintPrompt({ kind, prompt, context, output }: Turn, { style }: PaintOptions): string {
  const sign = kind === "bash" ? "! " : kind === "notification" ? "* " : "> ";
  const items = context.map((item) => style.dim(`  with ${describeContext(item)}`));
  const printed = output ? [indentAfter("  ", neutralize(output), style.dim)] : [];
  return [indentAfter(sign, neutralize(prompt), style.bold), ...items, ...printed].join("\n");
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
      return `${item.kind} ${item.mediaType ?? ""}`.trim();
  }
}

function paintLocal({ kind, prompt, output }: Turn["locals"][number], { style }: PaintOptions): string {
  const sign = kind === "bash" ? "  ! " : "  ";
  const head = style.dim(indentAfter(sign, neutralize(prompt), (text) => text));
  return output ? `${head}\n${indentAfter("    ", neutralize(output), style.dim)}` : head;
}

function paintCompaction({ trigger, preTokens, postTokens }: Compaction, { style }: PaintOptions): string {
  const size = preTokens === null ? "" : `, ${formatTokens(preTokens)} tokens`;
  const after = postTokens === null ? "" : ` to ${formatTokens(postTokens)}`;
  return style.yellow(`  compacted (${trigger ?? "unknown trigger"}${size}${after})`);
}

/** A sign before the first line, the others below its text. */
function indentAfter(sign: string, text: string, paint: (line: string) => string): string {
  const indent = " ".repeat(sign.length);
  return text
    .split("\n")
    .map((line, at) => paint((at === 0 ? sign : indent) + line))
    .join("\n");
}
