import type { JsonObject } from "../../format/json.js";
import { countContext, lowerUsage } from "../../format/writer/context-size.js";
import type { Node } from "../../session/graph/node.js";
import { type MessageOutline, usageOf } from "../../session/messages/message.js";
import { selectReplay } from "../../session/replay/select-replay.js";
import type { EditPlan, RecordChange } from "./edit-plan.js";
import type { EditSource } from "./edit-source.js";

export type BytesOf = (node: Node) => number;

/** Estimates what Claude Code would send for a conversation. */
export interface TokenEstimator {
  /** The whole request: instructions and tools, and of each node as many bytes as are left. */
  estimate(nodes: readonly Node[], bytesLeft?: BytesOf): number;
  /** What some bytes of a node add to a request, not rounded; 0 for what Claude Code sends again when it is missing. */
  tokensOf(node: Node, bytes: number): number;
  /** The same of text that the session does not have yet. */
  tokensOfText(bytes: number): number;
  /** What the request of each message would count, by its key. */
  beforeMessages(nodes: readonly Node[], bytesLeft: BytesOf): ReadonlyMap<string, number>;
}

/**
 * Every recorded request says how many tokens it took, so two of them say how many the records between them take. These are
 * shared out by bytes: output of programs, code and prose differ by more than a factor of two. What the last request counted is
 * what the next one takes at least; what of it is not in the records (instructions, tools) is in every request.
 */
export function tokenEstimator(source: EditSource): TokenEstimator {
  const bytesOf: BytesOf = (node) => source.recordOf(node)?.contextBytes ?? 0;
  const isSentAgain = (node: Node) => source.recordOf(node)?.isSentAgain ?? false;
  const { nodes: read } = selectReplay(source.outline);
  const { usual, ratios, fixed } = calibrate(source, bytesOf);
  const tokens = (node: Node, bytes: number) => {
    const whole = (ratios.get(node) ?? usual) * weigh(bytes);
    // Where an image is gone, text is left.
    const isText = source.recordOf(node)?.hasMedia && bytes < bytesOf(node);
    return isText ? Math.min(whole, usual * weigh(bytes)) : whole;
  };
  const constant = read.reduce((sum, node) => sum + (isSentAgain(node) ? tokens(node, bytesOf(node)) : 0), fixed);
  const tokensOf = (node: Node, bytes: number) => (isSentAgain(node) ? 0 : tokens(node, bytes));
  return {
    tokensOf,
    tokensOfText: (bytes) => usual * weigh(bytes),
    estimate(nodes, bytesLeft = bytesOf) {
      if (nodes.length === 0) return 0;
      return Math.round(nodes.reduce((sum, node) => sum + tokensOf(node, bytesLeft(node)), constant));
    },
    beforeMessages(nodes, bytesLeft) {
      const counts = new Map<string, number>();
      let sum = constant;
      for (const node of nodes) {
        const { role, message } = node;
        if (role === "answer" && message !== undefined && !counts.has(message)) counts.set(message, Math.round(sum));
        sum += tokensOf(node, bytesLeft(node));
      }
      return counts;
    },
  };
}

const TOKENS_PER_BYTE = 1 / 4;
/** Where requests are said to have counted less or more than this for a byte, something else changed between them. */
const [LEAST, MOST] = [0.04, 1.5];
const LEAST_SCALE = 0.1;
/** A record also takes a role, the type of its blocks and their ids. */
const FRAME_BYTES = 30;

function weigh(bytes: number): number {
  return bytes === 0 ? 0 : bytes + FRAME_BYTES;
}

interface Calibration {
  /** Tokens for a byte, by node; `usual` for all others. */
  readonly ratios: ReadonlyMap<Node, number>;
  readonly usual: number;
  /** Instructions and tools, which are no records. */
  readonly fixed: number;
}

/** What was read between two requests, and how much more the second one counted; undefined: not known. */
interface Segment {
  readonly nodes: Node[];
  tokens: number | undefined;
}

function calibrate(source: EditSource, bytesOf: BytesOf): Calibration {
  const { segments, first, last } = believe(listSegments(source), bytesOf);
  const hasMedia = (node: Node) => source.recordOf(node)?.hasMedia ?? false;
  const weighAll = (nodes: readonly Node[]) => nodes.reduce((sum, node) => sum + weigh(bytesOf(node)), 0);
  const sized = segments.map(({ nodes, tokens }) => {
    const media = weighAll(nodes.filter(hasMedia));
    return { nodes, tokens, media, text: weighAll(nodes) - media };
  });
  const usual = usualRatio(source, sized, last);
  const shares = sized.map((segment) => shareOut(segment, usual));
  const sumUpTo = (count: number) => shares.slice(0, count).reduce((sum, { tokens }) => sum + tokens, 0);
  const { scale, fixed } = anchor(
    first.tokens === undefined ? usual * promptBytes(source) : Math.max(0, first.tokens - sumUpTo(first.segments)),
    sumUpTo(last.segments),
    last.tokens,
  );
  const ratios = new Map<Node, number>();
  sized.forEach(({ nodes }, at) => {
    const { text = usual, media = usual } = shares[at] ?? {};
    for (const node of nodes) ratios.set(node, scale * (hasMedia(node) ? media : text));
  });
  return { ratios, usual: scale * usual, fixed };
}

/** Sessions that no API answered count anything. */
function believe(counted: CountedSegments, bytesOf: BytesOf): CountedSegments {
  const { segments, first, last } = counted;
  const nodes = segments.slice(0, last.segments).flatMap((segment) => segment.nodes);
  const bytes = nodes.reduce((sum, node) => sum + weigh(bytesOf(node)), 0);
  if (last.tokens === undefined || last.tokens >= LEAST * bytes) return counted;
  const unknown = segments.map((segment): Segment => ({ nodes: segment.nodes, tokens: undefined }));
  return { segments: unknown, first: { ...first, tokens: undefined }, last: { ...last, tokens: undefined } };
}

/** A segment with the weight of its texts, and that of its records with images or documents. */
interface SizedSegment extends Segment {
  readonly text: number;
  readonly media: number;
}

/** Tokens for a byte of text and of media, and all of them. What an image took is what the texts beside it did not. */
function shareOut(
  { tokens, text, media }: SizedSegment,
  usual: number,
): { tokens: number; text: number; media: number } {
  if (media === 0) {
    const all = isLikely(tokens, text) ? (tokens ?? 0) : usual * text;
    return { tokens: all, text: text === 0 ? usual : all / text, media: usual };
  }
  const rest = (tokens ?? 0) - usual * text;
  const ratio = rest > LEAST * media ? rest / media : TOKENS_PER_BYTE;
  return { tokens: usual * text + ratio * media, text: usual, media: ratio };
}

/**
 * Makes the parts add up to what the last request counted. When that is more than they are, tools were added. When it is less,
 * old thinking or old results were not sent any more.
 */
function anchor(start: number, parts: number, counted: number | undefined): { scale: number; fixed: number } {
  if (counted === undefined) return { scale: 1, fixed: start };
  const scale = counted >= start + parts ? 1 : Math.max(LEAST_SCALE, (counted - start) / parts);
  return { scale, fixed: Math.max(0, counted - scale * parts) };
}

interface CountedSegments {
  readonly segments: readonly Segment[];
  /** The first request that counts, and the last one. */
  readonly first: Mark;
  readonly last: Mark;
}

interface Mark {
  /** How many segments precede it. */
  readonly segments: number;
  readonly tokens: number | undefined;
}

/** Messages that a compaction preserved counted another context. */
function listSegments(source: EditSource): CountedSegments {
  const { outline } = source;
  const { nodes, kept } = selectReplay(outline);
  const preserved = new Set(kept);
  const seen = new Set<string>();
  const segments: Segment[] = [{ nodes: [], tokens: undefined }];
  let first: Mark | undefined;
  let last: Mark = { segments: 0, tokens: undefined };
  for (const node of nodes) {
    const message =
      node.role === "answer" && !preserved.has(node) ? outline.messages.get(node.message ?? "") : undefined;
    const count = message && !seen.has(message.key) ? countRequest(message) : 0;
    if (message && count > 0) {
      seen.add(message.key);
      const open = segments.at(-1);
      if (open && last.tokens !== undefined) open.tokens = count - last.tokens;
      last = { segments: segments.length, tokens: count };
      first ??= last;
      segments.push({ nodes: [], tokens: undefined });
    }
    segments.at(-1)?.nodes.push(node);
  }
  return {
    segments: [...segments.slice(0, -1), ...splitEnd(segments.at(-1)?.nodes ?? [], source)],
    first: first ?? last,
    last,
  };
}

/** How much the last message itself takes is known from what was counted for it. */
function splitEnd(nodes: Node[], { outline }: EditSource): Segment[] {
  const [start] = nodes;
  const message = start?.role === "answer" ? outline.messages.get(start.message ?? "") : undefined;
  if (!message) return [{ nodes, tokens: undefined }];
  const isOwn = (node: Node) => node.message === message.key;
  return [
    { nodes: nodes.filter(isOwn), tokens: usageOf(message).output },
    { nodes: nodes.filter((node) => !isOwn(node)), tokens: undefined },
  ];
}

function countRequest(message: MessageOutline): number {
  const { input, cacheRead, cacheWrite5m, cacheWrite1h } = usageOf(message);
  return input + cacheRead + cacheWrite5m + cacheWrite1h;
}

function isLikely(tokens: number | undefined, bytes: number): boolean {
  return tokens !== undefined && bytes > 0 && tokens >= LEAST * bytes && tokens <= MOST * bytes;
}

/** That of all counted records; where most were not counted, that of the whole request, if the session has the instructions. */
function usualRatio(source: EditSource, segments: readonly SizedSegment[], last: Mark): number {
  const all = segments.slice(0, last.segments).reduce((sum, { text }) => sum + text, 0);
  const counted = segments.filter(({ media, tokens, text }) => media === 0 && isLikely(tokens, text));
  const known = counted.reduce((sum, { text }) => sum + text, 0);
  const tokens = counted.reduce((sum, segment) => sum + (segment.tokens ?? 0), 0);
  if (known > 0 && known >= all / 2) return tokens / known;
  const instructions = promptBytes(source);
  if (instructions === 0 || last.tokens === undefined) return TOKENS_PER_BYTE;
  const ratio = last.tokens / (instructions + all);
  return Math.min(TOKENS_PER_BYTE * 2, Math.max(TOKENS_PER_BYTE / 2, ratio));
}

/** Instructions and definitions of tools, where Claude Code wrote them down. */
function promptBytes({ records }: EditSource): number {
  return records.reduce((most, { attachment, length }) => {
    return attachment === "prompt_snapshot" ? Math.max(most, length) : most;
  }, 0);
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
