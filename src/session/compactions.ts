import type { PreservedFields } from "../format/record.js";
import type { Facts } from "./facts.js";
import type { Node } from "./node.js";

export interface Compaction {
  readonly at: string | null;
  readonly trigger: string | null;
  readonly preTokens: number | null;
  readonly postTokens: number | null;
  readonly line: number;
  readonly preserved: PreservedFields | null;
}

/** One for each boundary, and for each summary that has none. */
export function listCompactions(active: readonly Node[], facts: Facts): Compaction[] {
  const known = new Map(facts.compactions.map((fact) => [fact.line, fact]));
  const boundaries = new Set(active.filter(({ role }) => role === "boundary").map(({ uuid }) => uuid));
  const isStart = ({ role, parentUuid }: Node) =>
    role === "boundary" || (role === "compactSummary" && !boundaries.has(parentUuid ?? undefined));
  return active.filter(isStart).map(({ line, time }) => {
    const fact = known.get(line);
    return {
      at: fact?.at ?? (time === undefined ? null : new Date(time).toISOString()),
      trigger: fact?.trigger ?? null,
      preTokens: fact?.preTokens ?? null,
      postTokens: fact?.postTokens ?? null,
      line,
      preserved: fact?.preserved ?? null,
    };
  });
}
