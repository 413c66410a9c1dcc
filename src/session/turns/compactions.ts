import type { PreservedFields } from "../../format/record/record.js";
import type { Facts } from "../facts/facts.js";
import type { Bodies, Node } from "../graph/node.js";
import { ownText } from "../prompts/classify-input.js";

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
export interface CompactionOutline extends Omit<Compaction, "summary"> {
  readonly summaryNode: Node | undefined;
}

/** One for each boundary, with the summary that follows it, and for each summary that has none. */
export function outlineCompactions(active: readonly Node[], facts: Facts): CompactionOutline[] {
  const starts: { readonly start: Node; summary: Node | undefined }[] = [];
  for (const node of active) {
    const last = starts.at(-1);
    if (node.role === "boundary") starts.push({ start: node, summary: undefined });
    else if (node.role === "compactSummary" && last && !last.summary) last.summary = node;
    else if (node.role === "compactSummary") starts.push({ start: node, summary: node });
  }
  const known = new Map(facts.compactions.map((fact) => [fact.line, fact]));
  return starts.map(({ start: { line, time }, summary }) => {
    const fact = known.get(line);
    return {
      at: fact?.at ?? (time === undefined ? null : new Date(time).toISOString()),
      trigger: fact?.trigger ?? null,
      preTokens: fact?.preTokens ?? null,
      postTokens: fact?.postTokens ?? null,
      line,
      preserved: fact?.preserved ?? null,
      summaryNode: summary,
    };
  });
}

export function buildCompaction({ summaryNode, ...compaction }: CompactionOutline, bodies: Bodies): Compaction {
  const record = summaryNode && bodies.of(summaryNode);
  return { ...compaction, summary: record?.kind === "user" ? ownText(record.blocks) : null };
}
