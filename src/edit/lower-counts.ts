import { lowerUsage } from "../format/lower-usage.js";
import { usageOf } from "../session/session-message.js";
import type { EditPlan, RecordChange } from "./edit-plan.js";

/**
 * Clients take the size of a context from the last message that counts it, and compact at once where that is too much. So no
 * message counts more than is left.
 */
export function lowerCounts(plan: EditPlan): EditPlan {
  const { source, tokensBefore, tokensAfter } = plan;
  if (tokensAfter >= tokensBefore) return plan;
  const changes = new Map(plan.changes);
  for (const node of source.outline.active) {
    const message = node.role === "answer" ? source.outline.messages.get(node.message ?? "") : undefined;
    const record = message && source.recordOf(node);
    if (!message || !record) continue;
    const { input, cacheRead, cacheWrite5m, cacheWrite1h } = usageOf(message);
    const counted = input + cacheRead + cacheWrite5m + cacheWrite1h;
    const change = counted > tokensAfter ? lowered(changes.get(record), tokensAfter / counted) : undefined;
    if (change) changes.set(record, change);
  }
  return { ...plan, changes };
}

function lowered(change: RecordChange | undefined, factor: number): RecordChange | undefined {
  if (change?.kind === "remove") return undefined;
  const before = change?.replace;
  const replace: NonNullable<typeof before> = (raw) => lowerUsage(before ? before(raw) : raw, factor);
  return change ? { ...change, replace } : { kind: "replace", reason: "counts of tokens", replace };
}
