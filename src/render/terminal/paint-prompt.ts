import type { Turn } from "../../session/build-turn.js";
import { formatTime } from "../format-values.js";
import { paintBeside, sameMargin } from "./margin.js";
import type { PaintOptions } from "./paint-options.js";
import { paintRule } from "./paint-rule.js";
import { paintOutput, paintText } from "./paint-text.js";

const BODY_INDENT = 2;

/** The head of a turn: its number and time, what somebody asked for, and what came with it. */
export function paintPrompt(turn: Turn, options: PaintOptions): string[] {
  const { style } = options;
  const { index, startedAt, kind, prompt, context, output } = turn;
  const sign = kind === "bash" ? "! " : kind === "notification" ? "* " : "";
  const beside = (paint: (inner: PaintOptions) => string[]) => paintBeside(sameMargin("  "), options, paint);
  return [
    ...paintRule(`${index} ── ${formatTime(startedAt)}`, style.dim, options, BODY_INDENT),
    ...paintSaid(prompt, sign, options),
    ...context.flatMap((item) => beside((inner) => paintText(`with ${describeContext(item)}`, style.dim, inner))),
    ...(output ? beside((inner) => paintOutput(output, style.dim, inner)) : []),
  ];
}

/** A bar stands before every line of what a person said, in a pipe `>`: without colours nothing else tells it. */
export function paintSaid(text: string, sign: string, options: PaintOptions): string[] {
  const { style, isPlain } = options;
  const bar = isPlain ? sign || "> " : style.cyan("▌ ");
  const words = isPlain ? text : sign + text;
  const lines = paintBeside(sameMargin(bar, 2), options, (inner) => paintText(words, style.bold, inner));
  return lines.length > 0 ? lines : [bar.trimEnd()];
}

export function describeContext(item: Turn["context"][number]): string {
  switch (item.kind) {
    case "ide_selection":
      return `lines ${item.startLine ?? "?"} to ${item.endLine ?? "?"} of ${item.path ?? "a file"}`;
    case "ide_opened_file":
    case "file":
      return item.path ?? "a file";
    case "image":
    case "document":
      return `${item.kind} ${item.mediaType ?? ""}`.trim();
  }
}
