import type { Message } from "../session/assemble-messages.js";
import type { ToolCall } from "../session/pair-tool-calls.js";
import { formatDuration } from "./format-values.js";
import { neutralize } from "./neutralize.js";
import type { Style } from "./style.js";

export interface PaintOptions {
  readonly style: Style;
  readonly columns: number;
  readonly thinking: boolean;
  readonly tools: "full" | "brief" | "none";
}

/** Blocks in the order in which the model wrote them, each call with its result. */
export function paintMessages(
  messages: readonly Message[],
  toolCalls: readonly ToolCall[],
  options: PaintOptions,
): string[] {
  const calls = new Map(toolCalls.map((call) => [call.id, call]));
  return messages.flatMap((message) => {
    const parts = message.blocks.map((block) => paintBlock(block, calls, options)).filter((part) => part !== "");
    return message.isApiError ? parts.map((part) => options.style.red(part)) : parts;
  });
}

function paintBlock(
  block: Message["blocks"][number],
  calls: ReadonlyMap<string, ToolCall>,
  options: PaintOptions,
): string {
  const { style } = options;
  switch (block.kind) {
    case "text":
      return block.text.trim() === "" ? "" : indent(neutralize(block.text.trim()), "  ");
    case "thinking":
      return options.thinking ? style.dim(indent(neutralize(block.text.trim()), "  ~ ")) : "";
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

const SHOWN_ERROR_LINES = 3;

function paintCall(call: ToolCall, options: PaintOptions): string {
  const { style } = options;
  const took = call.durationMs === null ? "" : ` ${formatDuration(call.durationMs)}`;
  const summary = neutralize(call.summary.replaceAll("\n", " "));
  const head = `  ${paintStatus(call, style)} ${style.bold(neutralize(call.name))} ${summary}${style.dim(took)}`;
  const output = neutralize(call.result ?? "").trim();
  if (options.tools === "full" && output !== "") return `${head}\n${style.dim(indent(output, "    "))}`;
  if (call.status === "ok" || output === "") return head;
  const first = output.split("\n").slice(0, SHOWN_ERROR_LINES).join("\n");
  return `${head}\n${style.red(indent(first, "    "))}`;
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

function indent(text: string, prefix: string): string {
  const rest = " ".repeat(prefix.length);
  return text
    .split("\n")
    .map((line, at) => (at === 0 ? prefix : rest) + line)
    .join("\n");
}
