import { madeCalls } from "./every-tool/made-calls.js";
import { differentCalls, type RecordedCall, recordedCalls } from "./recorded-calls.js";

const recorded = recordedCalls();
const made = madeCalls();

/** Every tool that golden files show. */
export const GOLDEN_TOOLS: readonly string[] = [
  ...new Set([...recorded, ...made].map(({ call }) => call.name)),
].toSorted();

/** One recorded call of each kind, and what no recording has. */
export function goldenCalls(tool: string): RecordedCall[] {
  const ofTool = ({ call }: RecordedCall) => call.name === tool;
  return [...differentCalls(recorded.filter(ofTool)), ...made.filter(ofTool)];
}
