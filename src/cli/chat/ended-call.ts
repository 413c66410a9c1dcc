import type { Call } from "../../agent/loop.js";
import type { ToolOutcome } from "../../agent/tools/tool.js";
import type { ToolCall } from "../../session/pair-tool-calls.js";
import { judgeResult } from "../../session/tool-status.js";
import { summarizeCall } from "../../session/tool-summary.js";

const UNTOLD = {
  callUuid: null,
  resultUuids: [],
  startedAt: null,
  endedAt: null,
  agentId: null,
  images: 0,
  resultBlocks: [],
  personsWords: null,
  persistedOutput: null,
  notification: null,
};

/** A call with what came of it, as whoever reads the session sees it. */
export function toEndedCall(
  { id, name, input }: Call,
  { content, data, isError = false }: ToolOutcome,
  durationMs: number | null,
): ToolCall {
  const result = typeof content === "string" ? content : content.flatMap(({ text }) => text ?? []).join("\n");
  const status = judgeResult({ text: result, isError }, { toolUseResult: data, toolDenialKind: undefined });
  return {
    ...UNTOLD,
    id,
    name,
    input,
    summary: summarizeCall(name, input),
    result,
    resultData: data,
    status,
    durationMs,
  };
}

/** A call that somebody has yet to allow. */
export function toAskedCall(name: string, input: unknown): ToolCall {
  const summary = summarizeCall(name, input);
  return { ...UNTOLD, id: "", name, input, summary, result: null, resultData: null, status: "ok", durationMs: null };
}
