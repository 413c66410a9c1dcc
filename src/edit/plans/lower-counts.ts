import type { JsonObject } from "../../format/json.js";
import { countContext, lowerUsage } from "../../format/writer/context-size.js";
import type { EditPlan, RecordChange } from "./edit-plan.js";
import { countRequest } from "./recorded-counts.js";

/**
 * Claude Code takes the size of a context from the last message that counts it, and compacts at once where that is too much. So no
 * message counts more than is left before it, nor does one that comes from another session.
 */
export function lowerTokenCounts(plan: EditPlan): EditPlan {
  return plan.tokensAfter < plan.tokensBefore ? lowerAllCounts(plan) : { ...plan, added: lowerAdded(plan) };
}

/** The same where the context may grow: older messages can count more than all that is sent. */
export function lowerAllCounts(plan: EditPlan): EditPlan {
  return { ...plan, changes: lowerOwn(plan), added: lowerAdded(plan) };
}

function lowerOwn({ source, changes: before, tokensAfter, tokensBeforeMessages }: EditPlan): EditPlan["changes"] {
  const changes = new Map(before);
  for (const node of source.outline.active) {
    const message = node.role === "answer" ? source.outline.messages.get(node.message ?? "") : undefined;
    const record = message && source.recordOf(node);
    if (!message || !record) continue;
    const counted = countRequest(message);
    const left = tokensBeforeMessages.get(message.key) ?? tokensAfter;
    const change = counted > left ? lowered(changes.get(record), left / counted) : undefined;
    if (change) changes.set(record, change);
  }
  return changes;
}

function lowered(change: RecordChange | undefined, factor: number): RecordChange | undefined {
  if (change?.kind === "remove") return undefined;
  const before = change?.replace;
  const replace: NonNullable<typeof before> = (raw) => lowerUsage(before ? before(raw) : raw, factor);
  return change ? { ...change, replace } : { kind: "replace", reason: "counts of tokens", replace };
}

function lowerAdded({ added, tokensAfter }: EditPlan): EditPlan["added"] {
  return new Map(
    [...added].map(([record, rows]) => [record, { [Symbol.iterator]: () => lowerRows(rows, tokensAfter) }]),
  );
}

function* lowerRows(rows: Iterable<JsonObject>, left: number): Generator<JsonObject> {
  for (const row of rows) {
    const counted = countContext(row);
    yield counted > left ? lowerUsage(row, left / counted) : row;
  }
}
