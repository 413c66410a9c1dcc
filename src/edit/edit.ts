import type { Node } from "../session/graph/node.js";
import { findCopies } from "./plans/chain-nodes.js";
import type { EditDraft, EditPlan, RecordChange, RecordReplacement } from "./plans/edit-plan.js";
import type { EditSource } from "./plans/edit-source.js";
import {
  estimate,
  findSurvivors,
  listRepeated,
  placeForeignNodes,
  removeReferring,
  removeRepeated,
} from "./plans/follow-up-changes.js";
import { type RelinkedBranch, relinkBranch } from "./plans/relink-branch.js";
import type { SourceRecord } from "./plans/source-record.js";

/*
 * How a session is made of another one. Every edit takes the same five steps:
 *
 * 1. source: `readEditSource` (plans/edit-source) reads the file once and keeps an outline and a few facts of each record.
 * 2. plan: `planClone`, `planFork`, `planPrune`, … choose which records go, which change and what is added: an `EditDraft`.
 * 3. settle: `settlePlan`, below, adds what follows from that, so that the new session is valid: an `EditPlan`.
 * 4. lines: `editedLines` (write/edited-lines) reads the source again and makes the lines of the new transcript.
 * 5. write: `writeEdit` (write/write-edit) puts transcript and side files in place, as a whole or not at all.
 */

/**
 * Makes a draft valid: what refers to a removed record is removed too, children of removed records get the nearest surviving
 * ancestor as their parent, and what a compaction preserved follows its summary. A repeated record is removed with its first.
 */
export function settlePlan(source: EditSource, draft: EditDraft): EditPlan {
  const copies = draft.isRelinked ? findCopies(source, draft.branch ?? source.outline.active) : NONE;
  const asked = new Map([...draft.removed, ...[...copies].map((copy) => [copy, WRITTEN_AGAIN] as const)]);
  const gone = removeReferring(source, removeRepeated(source, asked));
  const removed = new Map([...gone, ...(draft.isRelinked ? listRepeated(source) : [])]);
  const changes = new Map<SourceRecord, RecordChange>();
  for (const [record, reason] of removed) changes.set(record, { kind: "remove", reason });
  for (const [record, change] of draft.replaced ?? []) {
    if (!changes.has(record)) changes.set(record, { kind: "replace", ...change });
  }
  const branch = (draft.branch ?? source.outline.active).filter((node) => {
    const record = source.recordOf(node);
    return record === undefined ? draft.foreignNodes?.has(node) : !removed.has(record);
  });
  const hasPreserved = removed.size > 0 && source.outline.compactions.some(({ preserved }) => preserved !== null);
  const isRelinked = draft.isRelinked || hasPreserved;
  const links = isRelinked ? relinkBranch(source, branch, (record) => !removed.has(record)) : AS_THEY_ARE;
  for (const record of [...links.moved.values()].flat()) changes.set(record, moving(changes.get(record)));
  for (const [record, mend] of links.mends) changes.set(record, mending(changes.get(record), mend));
  const { options } = draft;
  return {
    command: draft.command,
    source,
    id: options.id,
    title: options.title ?? null,
    keepUuids: options.keepUuids ?? false,
    changes,
    parents:
      removed.size > 0 || isRelinked ? new Map([...source.outline.mendedParents, ...links.parents]) : links.parents,
    survivors: findSurvivors(source, gone),
    moved: links.moved,
    leaf: leafOf(draft, copies) ?? (links.moved.size + copies.size > 0 ? endOf(branch) : null),
    added: draft.foreignNodes
      ? placeForeignNodes(source, links, draft.foreignNodes, options)
      : (draft.added ?? new Map()),
    isTidy: draft.isTidy ?? false,
    cleaning: draft.cleaning ?? null,
    leavesSubagents: draft.leavesSubagents ?? false,
    kept: source.records.length - removed.size,
    removed: removed.size,
    ...estimate(source, branch, changes, draft),
    notes: draft.notes ?? [],
  };
}

/** Why a copy of what is on the branch already is removed. */
export const WRITTEN_AGAIN = "history that was written again";

const NONE: ReadonlySet<SourceRecord> = new Set();

const AS_THEY_ARE: RelinkedBranch = { order: [], parents: new Map(), moved: new Map(), mends: new Map() };

function moving(change: RecordChange | undefined): RecordChange {
  return change?.kind === "replace" ? { ...change, kind: "move" } : { kind: "move" };
}

function mending(change: RecordChange | undefined, { reason, replace }: RecordReplacement): RecordChange {
  if (!change || change.kind === "remove") return { kind: "replace", reason, replace };
  const { replace: before = (raw) => raw } = change;
  return { reason, ...change, replace: (raw) => replace(before(raw)) };
}

function leafOf({ leaf = null }: EditDraft, copies: ReadonlySet<SourceRecord>): string | null {
  return [...copies].some(({ uuid }) => uuid === leaf) ? null : leaf;
}

/** Claude Code takes the last record of the file for the end, and records have moved. */
function endOf(branch: readonly Node[]): string | null {
  return branch.findLast(({ kind }) => kind === "user" || kind === "assistant")?.uuid ?? null;
}
