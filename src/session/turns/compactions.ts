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

/** Where a compaction begins on a branch, and its summary: indexes of the branch, the summary's -1 where it has none. */
export interface CompactionStart {
  readonly at: number;
  readonly summaryAt: number;
}

/**
 * One for each boundary, with the summary that follows it, and for each summary that has none. A summary that directly follows
 * another one repeats it.
 */
export function findCompactionStarts(branch: readonly Node[]): CompactionStart[] {
  const starts: { at: number; summaryAt: number }[] = [];
  let isAfterSummary = false;
  branch.forEach(({ role, kind }, at) => {
    const last = starts.at(-1);
    if (role === "boundary") starts.push({ at, summaryAt: -1 });
    else if (role === "compactSummary" && last?.summaryAt === -1) last.summaryAt = at;
    else if (role === "compactSummary" && !isAfterSummary) starts.push({ at, summaryAt: at });
    if (role === "boundary" || kind === "user" || kind === "assistant") isAfterSummary = role === "compactSummary";
  });
  return starts;
}

/** Lists the compactions of branches. */
export function compactionOutliner({ compactions }: Facts): (branch: readonly Node[]) => CompactionOutline[] {
  const known = new Map(compactions.map((fact) => [fact.line, fact]));
  return (branch) =>
    findCompactionStarts(branch).flatMap(({ at, summaryAt }) => {
      const start = branch[at];
      if (!start) return [];
      const { line, time } = start;
      const fact = known.get(line);
      return {
        at: fact?.at ?? (time === undefined ? null : new Date(time).toISOString()),
        trigger: fact?.trigger ?? null,
        preTokens: fact?.preTokens ?? null,
        postTokens: fact?.postTokens ?? null,
        line,
        preserved: fact?.preserved ?? null,
        summaryNode: branch[summaryAt],
      };
    });
}

export function buildCompaction({ summaryNode, ...compaction }: CompactionOutline, bodies: Bodies): Compaction {
  const record = summaryNode && bodies.of(summaryNode);
  return { ...compaction, summary: record?.kind === "user" ? ownText(record.blocks) : null };
}
