export type { DiffSide, DiffTurn, SessionDiff, TurnPair, TurnPart } from "../session/session-diff.js";
export type { Band, CompressLevel, CompressOptions } from "./compress/compress-options.js";
export {
  listTurnTexts,
  type Summarize,
  type SummarizeLimits,
  summarizeTurns,
  type TurnSummaries,
  type TurnText,
} from "./compress/summarize-turns.js";
export { type ComparedSession, diffSessions } from "./diff-sessions.js";
export type { Cleaning, EditOptions, EditPlan, FoundProblems, RecordChange, Replace } from "./edit-plan.js";
export { type EditSource, readEditSource, type SourceOptions, type SourceRecord } from "./edit-source.js";
export { editedLines } from "./edited-lines.js";
export { planClone } from "./plan-clone.js";
export { planCompress } from "./plan-compress.js";
export { type ForkPoint, planFork } from "./plan-fork.js";
export { type MergeWish, planMerge } from "./plan-merge.js";
export { planPrune } from "./plan-prune.js";
export { planRedact } from "./plan-redact.js";
export { planRepair } from "./plan-repair.js";
export { type PruneOptions, type PrunePreset, prunePreset } from "./prune/prune-options.js";
export type { RewriteRecord } from "./rewrite-record.js";
export { type EditTarget, type WrittenEdit, writeEdit } from "./write-edit.js";
