export type { Band, CompressLevel, CompressOptions } from "./compress/choose-turns.js";
export { planCompress } from "./compress/plan-compress.js";
export {
  listTurnTexts,
  type Summarize,
  type SummarizeLimits,
  summarizeTurns,
  type TurnSummaries,
  type TurnText,
} from "./compress/summarize-turns.js";
export type { DiffSide, DiffTurn, SessionDiff, TurnPair, TurnPart } from "./diff/diff-sessions.js";
export { type ComparedSession, diffSessions } from "./diff/diff-sessions.js";
export { type MergeWish, planMerge } from "./merge/plan-merge.js";
export { type ForkPoint, planClone, planFork } from "./plans/clone-and-fork.js";
export type { Cleaning, EditOptions, EditPlan, FoundProblems, RecordChange, Replace } from "./plans/edit-plan.js";
export { type EditSource, readEditSource, type SourceOptions } from "./plans/edit-source.js";
export { planRedact } from "./plans/plan-redact.js";
export type { SourceRecord } from "./plans/source-record.js";
export { planPrune } from "./prune/plan-prune.js";
export {
  type PruneOptions,
  type PrunePick,
  type PrunePicks,
  type PrunePreset,
  prunePreset,
} from "./prune/prune-presets.js";
export { planRepair } from "./repair/plan-repair.js";
export type { RewriteRecord } from "./write/edited-lines.js";
export { editedLines } from "./write/edited-lines.js";
export { type EditTarget, type WrittenEdit, writeEdit } from "./write/write-edit.js";
