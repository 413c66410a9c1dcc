import type { PreservedFields } from "../format/record.js";
import type { Bodies } from "./bodies.js";
import { ownText } from "./classify-prompt.js";
import type { Facts } from "./facts.js";
import type { Node } from "./node.js";

/** A place where the history was replaced by a summary. */
export interface Compaction {
  readonly at: string | null;
  readonly trigger: string | null;
  readonly preTokens: number | null;
  readonly postTokens: number | null;
  readonly line: number;
  readonly preserved: PreservedFields | null;
  readonly summary: string | null;
}

/** A compaction without the text of its summary. */
export interface CompactionSketch extends Omit<Compaction, "summary"> {
  readonly summaryNode: Node | undefined;
}

/** One for each boundary, and for each summary that has none. */
export function sketchCompactions(active: readonly Node[], facts: Facts): CompactionSketch[] {
  const known = new Map(facts.compactions.map((fact) => [fact.line, fact]));
  const boundaries = new Set(active.filter(({ role }) => role === "boundary").map(({ uuid }) => uuid));
  const summaries = new Map<string, Node>();
  for (const node of active) if (node.role === "compactSummary") summaries.set(node.parentUuid ?? "", node);
  const isStart = ({ role, parentUuid }: Node) =>
    role === "boundary" || (role === "compactSummary" && !boundaries.has(parentUuid ?? undefined));
  return active.filter(isStart).map((node) => {
    const { line, time, role, uuid } = node;
    const fact = known.get(line);
    return {
      at: fact?.at ?? (time === undefined ? null : new Date(time).toISOString()),
      trigger: fact?.trigger ?? null,
      preTokens: fact?.preTokens ?? null,
      postTokens: fact?.postTokens ?? null,
      line,
      preserved: fact?.preserved ?? null,
      summaryNode: role === "compactSummary" ? node : summaries.get(uuid ?? ""),
    };
  });
}

export function buildCompaction({ summaryNode, ...compaction }: CompactionSketch, bodies: Bodies): Compaction {
  const record = summaryNode && bodies.of(summaryNode);
  return { ...compaction, summary: record?.kind === "user" ? ownText(record.blocks) : null };
}
