import { isFiller, type Message } from "../session/assemble-messages.js";
import type { KeptRecords } from "../session/kept-records.js";
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

/** Text to be shown, and when it came up. */
export interface PaintedPart {
  readonly timestamp: string | null;
  readonly text: string;
}

/** One part a message: its blocks in the order in which the model wrote them, each call with its result. */
export function paintMessages(
  messages: readonly Message[],
  toolCalls: readonly ToolCall[],
  kept: KeptRecords,
  options: PaintOptions,
): PaintedPart[] {
  const calls = new Map(toolCalls.map((call) => [call.id, call]));
  const said = messages.filter((message) => !isFiller(message));
  return said.map(({ blocks, isApiError, startedAt, recordUuids }) => {
    const parts = blocks.map((block) => paintBlock(block, calls, options)).filter((part) => part !== "");
    const text = parts.join("\n");
    const isKept = recordUuids.some((uuid) => kept.uuids.has(uuid));
    return { timestamp: startedAt, text: markKept(isApiError ? options.style.red(text) : text, isKept, options) };
  });
}

/** What a compaction left in the context says so in a line of its own. */
export function markKept(text: string, isKept: boolean, { style }: PaintOptions): string {
  return isKept && text !== "" ? `${text}\n${style.yellow("  (kept)")}` : text;
}

/** A result whose call is not on the branch. */
export function paintOrphanResult(orphan: OrphanResult, options: PaintOptions): PaintedPart {
  const { toolUseId, result, isError, at } = orphan;
  const head = `  ${options.style.yellow("? no call:")} a result of ${neutralize(toolUseId)}`;
  return { timestamp: at, text: options.tools === "none" ? "" : paintOutput(head, result, isError, options) };
}

function paintBlock(
  block: Message["blocks"][number],
  calls: ReadonlyMap<string, ToolCall>,
  options: PaintOptions,
): string {
  const { style } = options;
  switch (block.kind) {
    case "text":
      return indent(trimBlankLines(neutralize(block.text)), "  ");
    case "thinking":
      return options.thinking ? style.dim(indent(trimBlankLines(neutralize(block.text)), "  ~ ")) : "";
    case "redactedThinking":
      return options.thinking ? style.dim("  ~ (redacted thinking)") : "";
    case "toolCall": {
      const call = calls.get(block.id);
      return call && options.tools !== "none" ? paintCall(call, options) : "";
    }
    case "toolResult":
      return "";
    case "image":
    case "document":
      return style.dim(`  (${block.kind})`);
    case "other":
      return style.dim(`  (${neutralize(block.type ?? "unknown block")})`);
  }
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

function paintCall(call: ToolCall, options: PaintOptions): string {
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
