export type { Cleaning, EditOptions, EditPlan, RecordChange, Replace } from "./edit-plan.js";
export { type EditSource, readEditSource, type SourceOptions, type SourceRecord } from "./edit-source.js";
export { editedLines } from "./edited-lines.js";
export { planClone } from "./plan-clone.js";
export { type ForkPoint, planFork } from "./plan-fork.js";
export { planRedact } from "./plan-redact.js";
export type { RewriteRecord } from "./rewrite-record.js";
export { type EditTarget, type WrittenEdit, writeEdit } from "./write-edit.js";
