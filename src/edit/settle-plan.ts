import { listAt } from "../session/list-at.js";
import type { Node } from "../session/node.js";
import { selectReplay } from "../session/select-replay.js";
import type { Cleaning, EditOptions, EditPlan, RecordChange, Replace } from "./edit-plan.js";
import { type EditSource, isInConversation, type SourceRecord } from "./edit-source.js";
import { tokenEstimator } from "./estimate-tokens.js";
import { movePreserved } from "./move-preserved.js";

/** What an edit wants; `settlePlan` works out what follows from it. */
export interface EditDraft {
  readonly command: string;
  readonly options: EditOptions;
  /** Why each of them goes. */
  readonly removed: ReadonlyMap<SourceRecord, string>;
  readonly replaced?: ReadonlyMap<SourceRecord, { readonly reason: string; readonly replace: Replace }>;
  readonly added?: EditPlan["added"];
  /** Where replacing changes how much the model reads of a record. */
  readonly contextBytes?: (record: SourceRecord) => number;
  /** The branch that the new session goes on from; without, the active one. */
  readonly branch?: readonly Node[];
  readonly leaf?: string | null;
  readonly cleaning?: Cleaning;
  readonly leavesSubagents?: boolean | undefined;
  readonly notes?: readonly string[];
}

/**
 * Makes a draft valid: what refers to a removed record goes too, children of removed records get the nearest surviving
 * ancestor as their parent, and what a compaction preserved stands behind its summary. A repeated record goes with its first.
 */
export function settlePlan(source: EditSource, draft: EditDraft): EditPlan {
  const removed = removeReferring(source, removeRepeated(source, draft.removed));
  const changes = new Map<SourceRecord, RecordChange>();
  for (const [record, reason] of removed) changes.set(record, { kind: "remove", reason });
  for (const [record, change] of draft.replaced ?? []) {
    if (!changes.has(record)) changes.set(record, { kind: "replace", ...change });
  }
  const branch = (draft.branch ?? source.outline.active).filter((node) => {
    const record = source.recordOf(node);
    return record !== undefined && !removed.has(record);
  });
  const moves = removed.size === 0 ? NO_MOVES : movePreserved(source, branch, changes);
  for (const [record, change] of moves.changes) changes.set(record, change);
  const { options } = draft;
  return {
    command: draft.command,
    source,
    id: options.id,
    title: options.title ?? null,
    keepUuids: options.keepUuids ?? false,
    changes,
    parents: moves.parents,
    survivors: findSurvivors(source, changes),
    moved: moves.moved,
    leaf: draft.leaf ?? null,
    added: draft.added ?? new Map(),
    cleaning: draft.cleaning ?? null,
    leavesSubagents: draft.leavesSubagents ?? false,
    kept: source.records.length - removed.size,
    removed: removed.size,
    ...estimate(source, branch, changes, draft),
    notes: draft.notes ?? [],
  };
}

const NO_MOVES: ReturnType<typeof movePreserved> = { changes: new Map(), parents: new Map(), moved: new Map() };

function removeRepeated(source: EditSource, asked: ReadonlyMap<SourceRecord, string>): Map<SourceRecord, string> {
  const removed = new Map(asked);
  const reasons = new Map([...asked].map(([{ uuid }, reason]) => [uuid, reason]));
  for (const record of source.records) {
    const reason = record.uuid === undefined ? undefined : reasons.get(record.uuid);
    if (reason !== undefined && !removed.has(record)) removed.set(record, reason);
  }
  return removed;
}

/** Logs of requests hold the text of all records before them. */
const REQUEST_LOG = /^api-request/;

/** Snapshots of removed prompts, hints and titles for removed ends: without their record they say nothing, or the wrong. */
function removeReferring(source: EditSource, removed: Map<SourceRecord, string>): ReadonlyMap<SourceRecord, string> {
  if (removed.size === 0) return removed;
  const gone = new Set([...removed.keys()].map(({ uuid }) => uuid));
  for (const record of source.records) {
    if (removed.has(record) || isInConversation(record)) continue;
    if (REQUEST_LOG.test(record.type ?? "")) removed.set(record, "request logs");
    else if (record.refs.some((id) => gone.has(id))) removed.set(record, "notes on removed records");
  }
  return removed;
}

function findSurvivors(
  { records }: EditSource,
  changes: ReadonlyMap<SourceRecord, RecordChange>,
): ReadonlyMap<string, string | null> {
  const parentOf = new Map<string, string | null | undefined>();
  const known = new Set(records.map(({ uuid }) => uuid));
  for (const record of records) {
    if (record.uuid !== undefined && changes.get(record)?.kind === "remove")
      parentOf.set(record.uuid, record.parentUuid);
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
  { outline, recordOf }: EditSource,
  branch: readonly Node[],
  changes: ReadonlyMap<SourceRecord, RecordChange>,
  { contextBytes = (record) => record.contextBytes }: EditDraft,
): Pick<EditPlan, "tokensBefore" | "tokensAfter" | "savedTokens"> {
  const bytesOf = (measure: (record: SourceRecord) => number) => (node: Node) => {
    const record = recordOf(node);
    return record ? measure(record) : 0;
  };
  const estimator = tokenEstimator(
    outline,
    bytesOf(({ contextBytes: bytes }) => bytes),
  );
  const before = selectReplay(outline).nodes;
  const saved = new Map<string, Node[]>();
  for (const node of before) {
    const record = recordOf(node);
    const change = record && changes.get(record);
    if (change && change.kind !== "move") listAt(saved, change.reason).push(node);
  }
  return {
    tokensBefore: estimator(before),
    tokensAfter: estimator(selectReplay({ ...outline, active: branch }).nodes, bytesOf(contextBytes)),
    savedTokens: new Map(
      [...saved].map(([reason, nodes]) => [reason, estimator(nodes) - estimator(nodes, bytesOf(bytesLeft))] as const),
    ),
  };

  function bytesLeft(record: SourceRecord): number {
    return changes.get(record)?.kind === "remove" ? 0 : contextBytes(record);
  }
}
