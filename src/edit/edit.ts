import { listAt } from "../collections.js";
import type { JsonObject } from "../format/json.js";
import type { Node } from "../session/graph/node.js";
import { selectReplay } from "../session/replay/select-replay.js";
import { findCopies, type RelinkedBranch, relinkBranch } from "./plans/chain-nodes.js";
import {
  derivedUuid,
  type EditDraft,
  type EditOptions,
  type EditPlan,
  type ForeignNodes,
  type RecordChange,
  type RecordReplacement,
} from "./plans/edit-plan.js";
import type { EditSource } from "./plans/edit-source.js";
import { tokenEstimator } from "./plans/estimate-tokens.js";
import { isSourceLink, noteSourceLinks } from "./plans/source-links.js";
import { continuedFrom, isInConversation, isRequestLog, type SourceRecord } from "./plans/source-record.js";

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
  for (const record of source.records.filter(isSourceLink)) changes.set(record, LINK_REMOVED);
  for (const [record, reason] of removed) changes.set(record, { kind: "remove", reason });
  const goneRecords = changes.size;
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
    foreignSource: draft.foreignSource,
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
    kept: source.records.length - goneRecords,
    removed: goneRecords,
    ...estimate(source, branch, changes, draft),
    notes: [...(draft.notes ?? []), ...noteSourceLinks(source.records)],
  };
}

/** Why a copy of what is on the branch already is removed. */
export const WRITTEN_AGAIN = "history that was written again";

const LINK_REMOVED: RecordChange = { kind: "remove", reason: "links of the source" };

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

/** Each after the record that it follows in the chain; what comes first of all, after the first line. */
function placeForeignNodes(
  { records, recordOf, outline: { uuids } }: EditSource,
  { order, parents }: RelinkedBranch,
  foreignNodes: ForeignNodes,
  { id, keepUuids }: EditOptions,
): EditPlan["added"] {
  const placed = new Map<SourceRecord, (() => JsonObject)[]>();
  let [anchor] = records;
  for (const node of order) {
    anchor = recordOf(node) ?? anchor;
    const foreign = foreignNodes.get(node);
    if (!foreign || !anchor) continue;
    const parent = parents.get(node.uuid ?? "") ?? null;
    const isNew = parent !== null && uuids.has(parent) && !keepUuids;
    listAt(placed, anchor).push(() => foreign.row(isNew ? derivedUuid(id, parent) : parent));
  }
  return new Map([...placed].map(([record, rows]) => [record, { [Symbol.iterator]: () => makeRows(rows) }]));
}

/** One in memory at a time. */
function* makeRows(rows: readonly (() => JsonObject)[]): Generator<JsonObject> {
  for (const make of rows) yield make();
}

function removeRepeated(source: EditSource, asked: ReadonlyMap<SourceRecord, string>): Map<SourceRecord, string> {
  const removed = new Map(asked);
  const reasons = new Map([...asked].map(([{ uuid }, reason]) => [uuid, reason]));
  for (const record of source.records) {
    const reason = record.uuid === undefined ? undefined : reasons.get(record.uuid);
    if (reason !== undefined && !removed.has(record)) removed.set(record, reason);
  }
  return removed;
}

/** Snapshots of removed prompts, hints and titles for removed ends: without their record they are useless or wrong. */
function removeReferring(source: EditSource, removed: Map<SourceRecord, string>): ReadonlyMap<SourceRecord, string> {
  if (removed.size === 0) return removed;
  const gone = new Set([...removed.keys()].map(({ uuid }) => uuid));
  for (const record of source.records) {
    if (removed.has(record) || isInConversation(record)) continue;
    if (isRequestLog(record.type)) removed.set(record, "request logs");
    else if (record.refs.some((id) => gone.has(id))) removed.set(record, "notes on removed records");
  }
  return removed;
}

function findSurvivors(
  { records, outline: { mendedParents } }: EditSource,
  removed: ReadonlyMap<SourceRecord, string>,
): ReadonlyMap<string, string | null> {
  const parentOf = new Map<string, string | null | undefined>();
  const known = new Set(records.map(({ uuid }) => uuid));
  for (const record of records) {
    if (record.uuid === undefined || !removed.has(record)) continue;
    const mended = mendedParents.get(record.uuid);
    parentOf.set(record.uuid, mended === undefined ? continuedFrom(record) : mended);
  }
  const survivors = new Map<string, string | null>();
  for (const uuid of parentOf.keys()) {
    const way: string[] = [];
    let at: string | null | undefined = uuid;
    while (typeof at === "string" && parentOf.has(at) && !survivors.has(at)) {
      way.push(at);
      survivors.set(at, null); // where the way is a circle, it ends here
      at = parentOf.get(at);
    }
    const end = typeof at === "string" && known.has(at) ? at : null;
    const survivor = end !== null && parentOf.has(end) ? (survivors.get(end) ?? null) : end;
    for (const passed of way) survivors.set(passed, survivor);
  }
  return survivors;
}

function estimate(
  source: EditSource,
  branch: readonly Node[],
  changes: ReadonlyMap<SourceRecord, RecordChange>,
  { contextBytes = (record) => record.contextBytes, foreignNodes }: EditDraft,
): Pick<EditPlan, "tokensBefore" | "tokensAfter" | "tokensBeforeMessages" | "savedTokens"> {
  const { outline, recordOf } = source;
  const estimator = tokenEstimator(source);
  const before = selectReplay(outline).nodes;
  const after = selectReplay({ ...outline, active: branch }).nodes;
  const bytesLeft = (node: Node) => {
    const record = recordOf(node);
    return record ? contextBytes(record) : (foreignNodes?.get(node)?.contextBytes ?? 0);
  };
  const left = new Set(after);
  const saved = new Map<string, number>();
  const save = (reason: string, tokens: number) => saved.set(reason, (saved.get(reason) ?? 0) + tokens);
  for (const node of before) {
    const record = recordOf(node);
    const tokens = estimator.tokensOf(node, record?.contextBytes ?? 0);
    const rest = left.delete(node) ? estimator.tokensOf(node, bytesLeft(node)) : 0;
    if (tokens !== rest) save(reasonOf(record && changes.get(record)), tokens - rest);
  }
  for (const node of left) save(ADDED, -estimator.tokensOf(node, bytesLeft(node)));
  const [tokensBefore, tokensAfter] = [estimator.estimate(before), estimator.estimate(after, bytesLeft)];
  return {
    tokensBefore,
    tokensAfter,
    tokensBeforeMessages: estimator.beforeMessages(after, bytesLeft),
    savedTokens: roundParts(saved, tokensBefore - tokensAfter),
  };
}

/** Why tokens are added. */
const ADDED = "added messages";

function reasonOf(change: RecordChange | undefined): string {
  return change?.reason ?? "other records";
}

/** Whole numbers that add up to the sum: what rounding leaves goes to the largest part. */
function roundParts(parts: ReadonlyMap<string, number>, sum: number): ReadonlyMap<string, number> {
  const rounded = new Map([...parts].map(([name, part]) => [name, Math.round(part)]));
  const rest = sum - [...rounded.values()].reduce((total, part) => total + part, 0);
  const [largest] = [...rounded].sort(([, a], [, b]) => Math.abs(b) - Math.abs(a));
  if (largest && rest !== 0) rounded.set(largest[0], largest[1] + rest);
  return rounded;
}

/** Records whose uuid a later one has: Claude Code reads the later one. */
function listRepeated({ records }: EditSource): ReadonlyMap<SourceRecord, string> {
  const named = records.filter((record) => record.uuid !== undefined && isInConversation(record));
  const last = new Map(named.map((record) => [record.uuid, record]));
  const repeated = named.filter((record) => last.get(record.uuid) !== record);
  return new Map(repeated.map((record) => [record, "repeated records"]));
}

/** A hint at the end of the conversation names that end still where the record that it named is gone, or leads nowhere any more. */
export function restoreLeafHint(plan: EditPlan): EditPlan {
  const { outline, records } = plan.source;
  const aside = new Set(records.flatMap(({ kind, uuid }) => (kind === "progress" ? (uuid ?? []) : [])));
  const isHintLost = records.some(
    (record) =>
      record.type === "last-prompt" &&
      (plan.changes.get(record)?.kind === "remove" || record.refs.some((uuid) => aside.has(uuid))),
  );
  const end = outline.activeLeaf;
  if (end === null || !isHintLost) return plan;
  return { ...plan, leaf: plan.survivors.has(end) ? (plan.survivors.get(end) ?? null) : end };
}
