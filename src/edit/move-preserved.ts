import { withoutPreserved } from "../format/compact-metadata.js";
import type { Node } from "../session/node.js";
import { selectReplay } from "../session/select-replay.js";
import type { EditPlan, RecordChange } from "./edit-plan.js";
import type { EditSource, SourceRecord } from "./edit-source.js";

type Moves = Pick<EditPlan, "changes" | "parents" | "moved">;

/**
 * A compaction may name records before it that stay in the context. Older clients do not know of that, and a client that
 * misses one of them loses all: so the records themselves are written behind the summary, in one chain, and the list goes.
 */
export function movePreserved(
  { outline, recordOf }: EditSource,
  branch: readonly Node[],
  settled: ReadonlyMap<SourceRecord, RecordChange>,
): Moves {
  const named = new Set(outline.compactions.filter(({ preserved }) => preserved !== null).map(({ line }) => line));
  const boundaries = branch.filter(({ role, line }) => role === "boundary" && named.has(line));
  if (boundaries.length === 0) return { changes: new Map(), parents: new Map(), moved: new Map() };
  const { nodes, compactionLine } = selectReplay({ ...outline, active: branch });
  const summaryAt = branch.findLastIndex(({ role, line }) => role === "compactSummary" && line === compactionLine);
  const before = new Set(branch.slice(0, Math.max(0, summaryAt)));
  const preserved = nodes.filter((node) => before.has(node));
  const chain = relink(branch, summaryAt, preserved);
  const changes = new Map<SourceRecord, RecordChange>();
  for (const node of preserved) put(node, { kind: "move" });
  for (const node of boundaries) {
    const replace = withoutPreserved(chain.above(node.logicalParentUuid));
    put(node, { kind: "replace", reason: "lists of preserved records", replace });
  }
  const summary = branch[summaryAt];
  const anchor = summary && recordOf(summary);
  return {
    changes,
    parents: chain.parents,
    moved: new Map(anchor ? [[anchor, preserved.flatMap((node) => recordOf(node) ?? [])]] : []),
  };

  function put(node: Node, change: RecordChange): void {
    const record = recordOf(node);
    const before = record && settled.get(record);
    if (!record || before?.kind === "remove") return;
    if (before?.kind !== "replace") changes.set(record, change);
    else if (change.kind === "move") changes.set(record, { ...change, replace: before.replace });
  }
}

interface Chain {
  readonly parents: ReadonlyMap<string, string | null>;
  /** The record itself unless it moves, else what it hung on. */
  above(uuid: string | null | undefined): string | null;
}

/** Summary, preserved records, what followed the summary: one after the other. What hung on them before hangs higher. */
function relink(branch: readonly Node[], summaryAt: number, preserved: readonly Node[]): Chain {
  const parents = new Map<string, string | null>();
  const moved = new Map<string | null | undefined, string | null | undefined>(
    preserved.map(({ uuid, parentUuid }) => [uuid, parentUuid]),
  );
  const above = (uuid: string | null | undefined): string | null => {
    let at = uuid;
    for (let steps = 0; moved.has(at) && steps < moved.size; steps++) at = moved.get(at);
    return moved.has(at) ? null : (at ?? null);
  };
  const summary = branch[summaryAt]?.uuid;
  let last = summary ?? null;
  for (const { uuid } of preserved) {
    if (uuid === undefined) continue;
    parents.set(uuid, last);
    last = uuid;
  }
  branch.forEach(({ uuid, parentUuid }, index) => {
    if (uuid === undefined || typeof parentUuid !== "string" || parents.has(uuid)) return;
    if (index > summaryAt && (parentUuid === summary || moved.has(parentUuid))) parents.set(uuid, last);
    else if (moved.has(parentUuid)) parents.set(uuid, above(parentUuid));
  });
  return { parents, above };
}
