import { withoutPreserved } from "../format/compact-metadata.js";
import { atTime } from "../format/record-time.js";
import type { Node } from "../session/node.js";
import { chainNodes } from "./chain-nodes.js";
import type { EditPlan, Replace } from "./edit-plan.js";
import type { EditSource, SourceRecord } from "./edit-source.js";
import { movePreserved } from "./move-preserved.js";

export interface Relinked extends Pick<EditPlan, "parents" | "moved"> {
  /** What has to change in a record so that it fits. */
  readonly mends: ReadonlyMap<SourceRecord, Mend>;
}

interface Mend {
  readonly reason: string;
  readonly replace: Replace;
}

/** Makes one chain of a branch, which ends it in every client; what is not on the branch hangs where it hung. */
export function relinkBranch(
  source: EditSource,
  nodes: readonly Node[],
  isKept: (record: SourceRecord) => boolean,
): Relinked {
  const { branch, summary, preserved } = movePreserved(source, nodes);
  const { order, parents, beforeBoundary } = chainNodes(branch);
  const mends = new Map<SourceRecord, Mend>();
  for (const node of order) {
    const before = node.uuid === undefined ? undefined : beforeBoundary.get(node.uuid);
    const record = source.recordOf(node);
    if (before !== undefined && record && !isSettled(node, before, source)) {
      mends.set(record, { reason: "boundaries of compactions", replace: withoutPreserved(before) });
    }
  }
  const late = laterEnd(source, order, isKept);
  if (late && !mends.has(late.record)) mends.set(late.record, { reason: END_TIME, replace: atTime(late.time) });
  const anchor = summary && source.recordOf(summary);
  const moved = preserved.flatMap((node) => source.recordOf(node) ?? []);
  return { parents, mends, moved: new Map(anchor ? [[anchor, moved]] : []) };
}

const END_TIME = "times that hid the end from older clients";

function isSettled({ logicalParentUuid, line }: Node, before: string | null, { outline }: EditSource): boolean {
  const { preserved = null } = outline.compactions.find((compaction) => compaction.line === line) ?? {};
  return preserved === null && (logicalParentUuid === undefined || logicalParentUuid === before);
}

/** Clients up to 2.1.45 take the message with the latest time as the end, the first one if several have it. */
function laterEnd(
  { records, recordOf }: EditSource,
  order: readonly Node[],
  isKept: (record: SourceRecord) => boolean,
): { readonly record: SourceRecord; readonly time: number } | undefined {
  const last = order.findLast(isTalk);
  const record = last && recordOf(last);
  if (record?.time === undefined) return undefined;
  let latest = Number.NEGATIVE_INFINITY;
  for (const other of records) {
    if (other === record || !isTalk(other) || other.isSidechain || other.uuid === record.uuid || !isKept(other))
      continue;
    latest = Math.max(latest, other.time ?? latest);
  }
  return record.time > latest ? undefined : { record, time: latest + 1 };
}

function isTalk({ kind }: { readonly kind: Node["kind"] }): boolean {
  return kind === "user" || kind === "assistant";
}
