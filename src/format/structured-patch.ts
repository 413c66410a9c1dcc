import { arrayAt, numberAt } from "./json.js";

export interface PatchHunk {
  readonly oldStart: number; // 1-based; 0 where the place in the file is not known
  readonly newStart: number;
  /** As in a unified diff, each with its sign. */
  readonly lines: readonly string[];
}

/** What a tool noted that it changed in a file; without hunks where it noted nothing. */
export function toPatchHunks(toolUseResult: unknown): PatchHunk[] {
  return arrayAt(toolUseResult, "structuredPatch").flatMap((hunk) => {
    const lines = arrayAt(hunk, "lines").filter((line) => typeof line === "string");
    if (lines.length === 0) return [];
    return [{ oldStart: numberAt(hunk, "oldStart") ?? 0, newStart: numberAt(hunk, "newStart") ?? 0, lines }];
  });
}
