import type { PersonsWords } from "../../format/record/persons-words.js";
import type { FollowUp, Local, Turn } from "../../session/turns/build-turn.js";
import type { Notice } from "../../session/turns/notices.js";
import { formatCost, formatCount, formatDuration, formatTime, formatTokens, totalTokens } from "../format-values.js";
import {
  DELIVERY_UNKNOWN_LABEL,
  describeCompaction,
  describeContext,
  describeWords,
  UNFINISHED_LABEL,
} from "../labels.js";
import type { CompactionItem, TurnItem } from "../turn-items.js";
import { hangingMargin, paintBeside, sameMargin } from "./margin.js";
import { type FoldedCalls, paintCall, paintFoldedCalls, paintOrphanResult } from "./paint-call.js";
import { paintMarkdown } from "./paint-markdown.js";
import type { PaintOptions } from "./paint-options.js";
import { describeFile } from "./paint-part.js";
import { paintMore, paintOutput, paintRule, paintText, paintWords } from "./paint-text.js";
import { toSpan } from "./spans.js";

const BODY_INDENT = 2;

/** The head of a turn: number, time, prompt, and the files that came with the prompt. */
export function paintPrompt(turn: Turn, options: PaintOptions): string[] {
  const { style } = options;
  const { index, startedAt, kind, prompt, context, output } = turn;
  const sign = kind === "bash" ? "! " : kind === "notification" ? "* " : "";
  const beside = (paint: (inner: PaintOptions) => string[]) => paintBeside(sameMargin("  "), options, paint);
  return [
    ...paintRule(`${index} ── ${formatTime(startedAt)}`, style.dim, options, BODY_INDENT),
    ...paintUserText(prompt, sign, options),
    ...context.flatMap((item) => beside((inner) => paintText(`with ${describeContext(item)}`, style.dim, inner))),
    ...(output ? beside((inner) => paintOutput(output, style.dim, inner)) : []),
  ];
}

/** Marks every line that the user typed with a bar, in a pipe with `>`. */
function paintUserText(text: string, sign: string, options: PaintOptions): string[] {
  const { style, isPlain } = options;
  const bar = isPlain ? sign || "> " : style.cyan("▌ ");
  const words = isPlain ? text : sign + text;
  const lines = paintBeside(sameMargin(bar, 2), options, (inner) => paintText(words, style.bold, inner));
  return lines.length > 0 ? lines : [bar.trimEnd()];
}

/** No lines for an item that the options leave out. */
export function paintItem(item: TurnItem | FoldedCalls, isAgentShown: boolean, options: PaintOptions): string[] {
  const { style, tools } = options;
  switch (item.kind) {
    case "text":
      return item.isApiError ? paintApiError(item.text, options) : paintMarkdown(item.text, options);
    case "thinking":
      return paintThinking(item.text, options);
    case "foldedCalls":
      return paintFoldedCalls(item, options);
    case "call":
      return tools === "none" ? [] : paintCall(item.call, options, { isAgentShown });
    case "words":
      return paintPersonsWords(item.words, options);
    case "orphanResult":
      return tools === "none" ? [] : paintOrphanResult(item.orphan, options);
    case "followUp":
      return paintFollowUp(item.followUp, options);
    case "local":
      return paintLocal(item.local, options);
    case "notice":
      return paintNotice(item.notice, options);
    case "compaction":
      return paintCompaction(item, options);
    case "file":
      return paintWords([toSpan(`[${describeFile(item.type, item.file)}]`, style.dim)], options);
  }
}

function paintApiError(text: string, options: PaintOptions): string[] {
  const { style } = options;
  return paintBeside(hangingMargin(style.red("✗ "), 2), options, (inner) => paintText(text, style.red, inner));
}

/** One line unless `thinking` is set. */
function paintThinking(text: string | null, options: PaintOptions): string[] {
  const { style, thinking } = options;
  const ink = (words: string) => style.dim(style.italic(words));
  if (text === null || !thinking) {
    const amount = text === null ? "encrypted" : formatCount(countWords(text), "word");
    return paintWords([toSpan(`~ thought, ${amount}`, ink)], options);
  }
  return paintBeside(sameMargin(style.dim("~ "), 2), options, (inner) => paintText(text, ink, inner));
}

function countWords(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}

function paintFollowUp({ prompt, deliveryRecorded }: FollowUp, options: PaintOptions): string[] {
  const said = paintUserText(prompt, "", options);
  const note = toSpan(`(queued; ${DELIVERY_UNKNOWN_LABEL})`, options.style.dim);
  return deliveryRecorded ? said : [...said, ...paintWords([note], options)];
}

const SHOWN_PLAN_LINES = 10;

/** A long plan is shortened. Where calls are shown in full, the call above has it. */
function paintPersonsWords(words: PersonsWords, options: PaintOptions): string[] {
  const { style, tools, isPlain } = options;
  if (words.kind === "plan" && tools === "full") return [];
  const label = describeWords(words);
  const head = label === null ? [] : paintText(label, style.dim, options);
  const lines = words.text.trim().split("\n");
  const left = lines.length - SHOWN_PLAN_LINES;
  const isCut = words.kind === "plan" && !isPlain && left > 1;
  const shown = isCut ? lines.slice(0, SHOWN_PLAN_LINES).join("\n") : words.text.trim();
  return [...head, ...paintUserText(shown, "", options), ...(isCut ? paintMore(left, "  ", options) : [])];
}

function paintLocal({ kind, prompt, output }: Local, options: PaintOptions): string[] {
  const { style } = options;
  const head = paintText(kind === "bash" ? `! ${prompt}` : prompt, style.dim, options);
  if (!output?.trim()) return head;
  return [...head, ...paintBeside(sameMargin("  "), options, (inner) => paintText(output, style.dim, inner))];
}

const SHOWN_NOTICE_LINES = 3;

/** Text that Claude Code added for the model is shown in full mode only; other notices are shortened. */
function paintNotice({ kind, text, level }: Notice, options: PaintOptions): string[] {
  const { style, tools, isPlain } = options;
  const isFull = tools === "full" || isPlain;
  if (kind === "injected" && tools !== "full") return [];
  const sign = level === "warning" ? style.yellow("! ") : style.dim("* ");
  // Warnings name their hook; other output of hooks looks like anybody's words.
  const label = kind === "hook" && level !== "warning" ? "Hook: " : "";
  const said = `${label}${text.trim()}`;
  const lines = paintBeside(hangingMargin(sign, 2), options, (inner) => paintText(said, style.dim, inner));
  const left = lines.length - SHOWN_NOTICE_LINES;
  if (isFull || left <= 1) return lines;
  return [...lines.slice(0, SHOWN_NOTICE_LINES), ...paintMore(left, "  ", options)];
}

function paintCompaction(item: CompactionItem, options: PaintOptions): string[] {
  const { style, tools } = options;
  const { summary } = item.compaction;
  const rule = paintRule(describeCompaction(item).join(", "), style.yellow, options);
  if (summary === null || tools !== "full") return rule;
  return [...rule, ...paintBeside(sameMargin("  "), options, (inner) => paintMarkdown(summary, inner, style.dim))];
}

/** Duration, tokens and cost of a turn. */
export function paintClosing(turn: Turn, costUsd: number | null, { style, columns }: PaintOptions): string[] {
  const facts = [
    turn.kind === "prompt" ? "" : turn.kind,
    turn.complete ? "" : UNFINISHED_LABEL,
    !turn.durationMs ? "" : formatDuration(turn.durationMs),
    `${formatTokens(totalTokens(turn.usage))} tokens`,
    formatCost(costUsd),
  ];
  const figures = toSpan(facts.filter((fact) => fact !== "").join(" · "), style.dim);
  const line = turn.interrupted ? [toSpan("✗ interrupted", style.red), toSpan(" · ", style.dim), figures] : [figures];
  return paintWords(line, { columns });
}
