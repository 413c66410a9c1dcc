import { isTrueAt, numberAt, stringAt } from "./json.js";

/** What a tool tells about its result beside the text that the model reads. */
export interface ToolResultData {
  readonly agentId: string | undefined;
  /** Where output is kept that was too long for the record. */
  readonly persistedOutput: string | undefined;
  /** Unknown where the result only tells of a launch. */
  readonly durationMs: number | undefined;
}

export function toToolResultData(toolUseResult: unknown): ToolResultData {
  const isLaunch = stringAt(toolUseResult, "status") === "async_launched";
  return {
    agentId: stringAt(toolUseResult, "agentId"),
    persistedOutput: stringAt(toolUseResult, "persistedOutputPath"),
    durationMs: isLaunch
      ? undefined
      : (numberAt(toolUseResult, "totalDurationMs") ?? numberAt(toolUseResult, "durationMs")),
  };
}

export function isInterruptedResult(toolUseResult: unknown): boolean {
  return isTrueAt(toolUseResult, "interrupted");
}
