import type { JsonObject } from "../../format/json.js";
import { countContext, lowerUsage } from "../../format/writer/context-size.js";
import type { Node } from "../../session/graph/node.js";
import { usageOf } from "../../session/messages/message.js";
import type { Outline } from "../../session/open-session.js";
import { selectReplay } from "../../session/replay/select-replay.js";
import type { EditPlan, RecordChange } from "./edit-plan.js";

const TOKENS_PER_BYTE = 1 / 4;
/** Languages and code differ, but never by more than this. */
const [LEAST, MOST] = [TOKENS_PER_BYTE / 2, TOKENS_PER_BYTE * 2];

/**
 * Estimates how many tokens Claude Code would send for a conversation. Every recorded request says how many tokens the records
 * before it took, instructions and tools included: a line through these points gives tokens for bytes, and what comes on top.
 */
export function tokenEstimator(outline: Outline, bytesOf: BytesOf): TokenEstimator {
  const { perByte, onTop } = fitLine(listPoints(outline, bytesOf));
  return {
    estimate(nodes, bytesAfter = bytesOf) {
      if (nodes.length === 0) return 0;
      return Math.round(onTop + perByte * nodes.reduce((sum, node) => sum + bytesAfter(node), 0));
    },
    beforeMessages(nodes, bytesAfter) {
      const tokens = new Map<string, number>();
      let bytes = 0;
      for (const node of nodes) {
        const { role, message } = node;
        if (role === "answer" && message !== undefined && !tokens.has(message))
          tokens.set(message, Math.round(onTop + perByte * bytes));
        bytes += bytesAfter(node);
      }
      return tokens;
    },
  };
}

type BytesOf = (node: Node) => number;

export interface TokenEstimator {
  estimate(nodes: readonly Node[], bytesAfter?: BytesOf): number;
  /** What the request of each message would count, by its key. */
  beforeMessages(nodes: readonly Node[], bytesAfter: BytesOf): ReadonlyMap<string, number>;
}

interface Point {
  readonly bytes: number;
  readonly tokens: number;
}

/** One for each message: the bytes before it, and what its request counted. */
function listPoints(outline: Outline, bytesOf: BytesOf): Point[] {
  const points: Point[] = [];
  const seen = new Set<string>();
  let bytes = 0;
  for (const node of selectReplay(outline).nodes) {
    const message =
      node.role === "answer" && !seen.has(node.message ?? "") ? outline.messages.get(node.message ?? "") : undefined;
    if (message) {
      seen.add(message.key);
      const { input, cacheRead, cacheWrite5m, cacheWrite1h } = usageOf(message);
      const tokens = input + cacheRead + cacheWrite5m + cacheWrite1h;
      if (tokens > 0) points.push({ bytes, tokens });
    }
    bytes += bytesOf(node);
  }
  return points;
}

function fitLine(points: readonly Point[]): { readonly perByte: number; readonly onTop: number } {
  const count = Math.max(1, points.length);
  const meanBytes = points.reduce((sum, { bytes }) => sum + bytes, 0) / count;
  const meanTokens = points.reduce((sum, { tokens }) => sum + tokens, 0) / count;
  const spread = points.reduce((sum, { bytes }) => sum + (bytes - meanBytes) ** 2, 0);
  const common = points.reduce((sum, { bytes, tokens }) => sum + (bytes - meanBytes) * (tokens - meanTokens), 0);
  const perByte = spread === 0 ? TOKENS_PER_BYTE : Math.min(MOST, Math.max(LEAST, common / spread));
  return { perByte, onTop: Math.max(0, meanTokens - perByte * meanBytes) };
}

/**
 * Claude Code takes the size of a context from the last message that counts it, and compacts at once where that is too much. So no
 * message counts more than is left before it, nor does one that comes from another session.
 */
export function lowerTokenCounts(plan: EditPlan): EditPlan {
  const { tokensBefore, tokensAfter } = plan;
  const changes = tokensAfter < tokensBefore ? lowerOwn(plan) : plan.changes;
  return { ...plan, changes, added: lowerAdded(plan) };
}

function lowerOwn({ source, changes: before, tokensAfter, tokensBeforeMessages }: EditPlan): EditPlan["changes"] {
  const changes = new Map(before);
  for (const node of source.outline.active) {
    const message = node.role === "answer" ? source.outline.messages.get(node.message ?? "") : undefined;
    const record = message && source.recordOf(node);
    if (!message || !record) continue;
    const { input, cacheRead, cacheWrite5m, cacheWrite1h } = usageOf(message);
    const counted = input + cacheRead + cacheWrite5m + cacheWrite1h;
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
