import { listAt } from "../../collections.js";
import type { JsonObject } from "../../format/json.js";
import type { Node } from "../../session/graph/node.js";
import { selectReplay } from "../../session/replay/select-replay.js";
import {
  derivedUuid,
  type EditDraft,
  type EditOptions,
  type EditPlan,
  type ForeignNodes,
  type RecordChange,
} from "./edit-plan.js";
import type { EditSource } from "./edit-source.js";
import { tokenEstimator } from "./estimate-tokens.js";
import type { RelinkedBranch } from "./relink-branch.js";
import { continuedFrom, isInConversation, isRequestLog, type SourceRecord } from "./source-record.js";

/** Each after the record that it follows in the chain; what comes first of all, after the first line. */
export function placeForeignNodes(
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

export function removeRepeated(
  source: EditSource,
  asked: ReadonlyMap<SourceRecord, string>,
): Map<SourceRecord, string> {
  const removed = new Map(asked);
  const reasons = new Map([...asked].map(([{ uuid }, reason]) => [uuid, reason]));
  for (const record of source.records) {
    const reason = record.uuid === undefined ? undefined : reasons.get(record.uuid);
    if (reason !== undefined && !removed.has(record)) removed.set(record, reason);
  }
  return removed;
}

/** Snapshots of removed prompts, hints and titles for removed ends: without their record they are useless or wrong. */
export function removeReferring(
  source: EditSource,
  removed: Map<SourceRecord, string>,
): ReadonlyMap<SourceRecord, string> {
  if (removed.size === 0) return removed;
  const gone = new Set([...removed.keys()].map(({ uuid }) => uuid));
  for (const record of source.records) {
    if (removed.has(record) || isInConversation(record)) continue;
    if (isRequestLog(record.type)) removed.set(record, "request logs");
    else if (record.refs.some((id) => gone.has(id))) removed.set(record, "notes on removed records");
  }
  return removed;
}

export function findSurvivors(
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

export function estimate(
  { outline, recordOf }: EditSource,
  branch: readonly Node[],
  changes: ReadonlyMap<SourceRecord, RecordChange>,
  { contextBytes = (record) => record.contextBytes, foreignNodes }: EditDraft,
): Pick<EditPlan, "tokensBefore" | "tokensAfter" | "tokensBeforeMessages" | "savedTokens"> {
  const bytesOf = (measure: (record: SourceRecord) => number) => (node: Node) => {
    const record = recordOf(node);
    return record ? measure(record) : (foreignNodes?.get(node)?.contextBytes ?? 0);
  };
  const estimator = tokenEstimator(
    outline,
    bytesOf(({ contextBytes: bytes }) => bytes),
  );
  const before = selectReplay(outline).nodes;
  const after = selectReplay({ ...outline, active: branch }).nodes;
  const saved = new Map<string, Node[]>();
  for (const node of before) {
    const record = recordOf(node);
    const change = record && changes.get(record);
    if (change && change.kind !== "move") listAt(saved, change.reason).push(node);
  }
  return {
    tokensBefore: estimator.estimate(before),
    tokensAfter: estimator.estimate(after, bytesOf(contextBytes)),
    tokensBeforeMessages: estimator.beforeMessages(after, bytesOf(contextBytes)),
    savedTokens: new Map(
      [...saved].map(([reason, nodes]) => {
        const left = estimator.estimate(nodes, bytesOf(bytesLeft));
        return [reason, estimator.estimate(nodes) - left] as const;
      }),
    ),
  };

  function bytesLeft(record: SourceRecord): number {
    return changes.get(record)?.kind === "remove" ? 0 : contextBytes(record);
  }
}

/** Records whose uuid a later one has: Claude Code reads the later one. */
export function listRepeated({ records }: EditSource): ReadonlyMap<SourceRecord, string> {
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
