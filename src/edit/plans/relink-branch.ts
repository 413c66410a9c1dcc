import { listAt } from "../../collections.js";
import { withoutPreserved, withTime } from "../../format/writer/change-record.js";
import type { Node } from "../../session/graph/node.js";
import { selectReplay } from "../../session/replay/select-replay.js";
import { chainNodes } from "./chain-nodes.js";
import type { EditPlan, RecordReplacement } from "./edit-plan.js";
import type { EditSource } from "./edit-source.js";
import { isInConversation, type SourceRecord } from "./source-record.js";

export interface RelinkedBranch extends Pick<EditPlan, "parents" | "moved"> {
  readonly order: readonly Node[];
  /** What has to change in a record so that it fits. */
  readonly mends: ReadonlyMap<SourceRecord, RecordReplacement>;
}

/** Makes one chain of a branch, so that every version of Claude Code finds its end; other branches keep their parents. */
export function relinkBranch(
  source: EditSource,
  nodes: readonly Node[],
  isKept: (record: SourceRecord) => boolean,
): RelinkedBranch {
  const { branch, preserved } = movePreserved(source, nodes);
  const { order, parents, beforeBoundary } = chainNodes(branch);
  const mends = new Map<SourceRecord, RecordReplacement>();
  for (const node of order) {
    const before = node.uuid === undefined ? undefined : beforeBoundary.get(node.uuid);
    const record = source.recordOf(node);
    if (before !== undefined && record && !isSettled(node, before, source)) {
      mends.set(record, { reason: "boundaries of compactions", replace: withoutPreserved(before) });
    }
  }
  const late = laterEnd(source, order, isKept);
  if (late && !mends.has(late.record)) mends.set(late.record, { reason: END_TIME, replace: withTime(late.time) });
  return { order, parents, mends, moved: moveIntoOrder(source, order, preserved) };
}

const END_TIME = "times that hid the end from older versions";

function isSettled({ logicalParentUuid, line }: Node, before: string | null, { outline }: EditSource): boolean {
  const { preserved = null } = outline.compactions.find((compaction) => compaction.line === line) ?? {};
  return preserved === null && (logicalParentUuid === undefined || logicalParentUuid === before);
}

/**
 * Claude Code up to 2.1.45 takes the record with the latest time as the end, the first one if several have it; notes on a turn, which
 * follow its answer, count too (2.1.45). What hangs on the end itself leads there.
 */
function laterEnd(
  { records, recordOf }: EditSource,
  order: readonly Node[],
  isKept: (record: SourceRecord) => boolean,
): { readonly record: SourceRecord; readonly time: number } | undefined {
  const end = order.findLastIndex(isTalk);
  const last = order[end];
  const record = last && recordOf(last);
  if (record?.time === undefined) return undefined;
  const following = new Set(order.slice(end + 1).map(recordOf));
  let latest = Number.NEGATIVE_INFINITY;
  for (const other of records) {
    const isOther = isInConversation(other) && !other.isSidechain && other.uuid !== record.uuid;
    if (isOther && isKept(other) && !following.has(other)) latest = Math.max(latest, other.time ?? latest);
  }
  return record.time > latest ? undefined : { record, time: latest + 1 };
}

function isTalk({ kind }: { readonly kind: Node["kind"] }): boolean {
  return kind === "user" || kind === "assistant";
}

/** A record whose place in the file contradicts the chain is written after the record before it in the chain. */
function moveIntoOrder(source: EditSource, order: readonly Node[], preserved: readonly Node[]): EditPlan["moved"] {
  const kept = new Set(preserved.map((node) => source.recordOf(node)));
  const records = order.flatMap((node) => source.recordOf(node) ?? []);
  const late = listLate(records.filter((record) => !kept.has(record)));
  const moved = new Map<SourceRecord, SourceRecord[]>();
  let anchor: SourceRecord | undefined;
  for (const record of records) {
    if (!late.has(record) && !kept.has(record)) anchor = record;
    else if (anchor) listAt(moved, anchor).push(record);
  }
  return moved;
}

/** Records that come after one that follows them in the chain. The first record stays; then those before it are out of place. */
function listLate(records: readonly SourceRecord[]): ReadonlySet<SourceRecord> {
  const [first] = records;
  const late = new Set<SourceRecord>();
  let next = Number.POSITIVE_INFINITY;
  for (const record of records.toReversed()) {
    if (record.offset > next) late.add(record);
    else next = record.offset;
  }
  if (!first || !late.has(first)) return late;
  let last = first.offset;
  return new Set(
    records.filter(({ offset }) => {
      const isEarly = offset < last;
      last = Math.max(last, offset);
      return isEarly;
    }),
  );
}

export interface PreservedMoves {
  /** The branch with what was preserved behind the summary. */
  readonly branch: readonly Node[];
  readonly preserved: readonly Node[];
}

/**
 * A compaction may name records before it that stay in the context. Older versions of Claude Code ignore that, and one that
 * misses a named record loses all of them: so the records themselves are written after the summary.
 */
function movePreserved({ outline }: EditSource, branch: readonly Node[]): PreservedMoves {
  const { kept: preserved, compactionLine } = selectReplay({ ...outline, active: branch });
  const summaryAt = branch.findLastIndex(({ role, line }) => role === "compactSummary" && line === compactionLine);
  if (preserved.length === 0) return { branch, preserved };
  const isPreserved = new Set(preserved);
  const stay = branch.slice(0, summaryAt + 1).filter((node) => !isPreserved.has(node));
  return { branch: [...stay, ...preserved, ...branch.slice(summaryAt + 1)], preserved };
}
