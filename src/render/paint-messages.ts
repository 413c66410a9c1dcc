import type { OrphanResult, ToolCall } from "../session/pair-tool-calls.js";
import { formatDuration } from "./format-values.js";
import { indent, trimBlankLines } from "./indent.js";
import { neutralize } from "./neutralize.js";
import type { Style } from "./style.js";

export interface PaintOptions {
  readonly style: Style;
  readonly columns: number;
  readonly thinking: boolean;
  readonly tools: "full" | "brief" | "none";
}

/** What a compaction left in the context says so in a line of its own. */
export function markKept(text: string, isKept: boolean, { style }: PaintOptions): string {
  return isKept && text !== "" ? `${text}\n${style.yellow("  (kept)")}` : text;
}

/** A result whose call is not on the branch. */
export function paintOrphanResult({ toolUseId, result, isError }: OrphanResult, options: PaintOptions): string {
  const head = `  ${options.style.yellow("? no call:")} a result of ${neutralize(toolUseId)}`;
  return options.tools === "none" ? "" : paintOutput(head, result, isError, options);
}

/** A call of a sub-agent, told beside its session. */
export function paintAgentCall(agent: string, call: ToolCall, options: PaintOptions): string {
  return `  ${options.style.cyan(`[${neutralize(agent)}]`)}${paintCall(call, options).slice(1)}\n`;
}

/** A call that takes long, told before its result is there. */
export function paintRunningCall({ name, summary }: ToolCall, { style }: PaintOptions): string {
  return `${style.dim(`  … running ${neutralize(`${name} ${summary}`.replaceAll("\n", " "))}`)}\n`;
}

const SHOWN_ERROR_LINES = 3;

export function paintCall(call: ToolCall, options: PaintOptions): string {
  const { style } = options;
  const took = call.durationMs === null ? "" : ` (${formatDuration(call.durationMs)})`;
  const summary = neutralize(call.summary.replaceAll("\n", " "));
  const head = `  ${paintStatus(call, style)} ${style.bold(neutralize(call.name))} ${summary}${style.dim(took)}`;
  return paintOutput(head, call.result ?? "", call.status !== "ok", options);
}

/** Of a failure the first lines are shown in any case. */
function paintOutput(head: string, result: string, isFailed: boolean, { style, tools }: PaintOptions): string {
  const output = trimBlankLines(neutralize(result));
  if (output === "" || (tools !== "full" && !isFailed)) return head;
  const shown = tools === "full" ? output : output.split("\n").slice(0, SHOWN_ERROR_LINES).join("\n");
  return `${head}\n${(isFailed ? style.red : style.dim)(indent(shown, "    "))}`;
}

function paintStatus({ status }: ToolCall, style: Style): string {
  switch (status) {
    case "ok":
      return style.green("✓");
    case "orphan":
      return style.yellow("? no result:");
    case "error":
    case "denied":
    case "interrupted":
      return style.red(`✗ ${status}:`);
  }
}
