import type { Node } from "../../session/graph/node.js";
import { type MessageOutline, usageOf } from "../../session/messages/message.js";
import { selectReplay } from "../../session/replay/select-replay.js";
import type { EditSource } from "./edit-source.js";
import type { Instructions } from "./instructions-size.js";

/** What was read between two requests, and how much more the second one counted; undefined: not known. */
export interface Segment {
  readonly nodes: readonly Node[];
  readonly tokens: number | undefined;
}

/** What the requests of a session counted. */
export interface CountedSegments {
  readonly segments: readonly Segment[];
  /** The first request that counts, and the last one. */
  readonly first: Mark;
  readonly last: Mark;
}

export interface Mark {
  /** How many segments precede it. */
  readonly segments: number;
  readonly tokens: number | undefined;
}

/** Messages that a compaction preserved counted another context. */
export function listSegments(source: EditSource): CountedSegments {
  const { outline } = source;
  const { nodes, kept } = selectReplay(outline);
  const preserved = new Set(kept);
  const seen = new Set<string>();
  const segments: OpenSegment[] = [{ nodes: [], tokens: undefined }];
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

interface OpenSegment {
  readonly nodes: Node[];
  tokens: number | undefined;
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

/** What the request of a message counted. */
export function countRequest(message: MessageOutline): number {
  const { input, cacheRead, cacheWrite5m, cacheWrite1h } = usageOf(message);
  return input + cacheRead + cacheWrite5m + cacheWrite1h;
}

/** Where requests are said to have counted less or more than this for a byte, something else changed between them. */
export const [LEAST, MOST] = [0.04, 1.5];
/** Of the texts that Claude Code itself sends, which are English prose and JSON. Models of 2026 count 0.23 to 0.32. */
const [LEAST_OF_INSTRUCTIONS, MOST_OF_INSTRUCTIONS] = [0.15, 0.36];
/** The smallest request of Claude Code (2.1.45 and 2.1.326 with no tools and a system prompt of one letter) has 740 bytes. */
const LEAST_REQUEST = 100;
/** More than that is not explained by thinking, which is counted and not stored. */
const LARGEST_LEAP = 5000;

/** What is needed to judge a count by the texts that were sent. */
export interface SentTexts {
  readonly instructions: Instructions;
  weigh(node: Node): number;
  /** Written by Claude Code itself. */
  isOwnText(node: Node): boolean;
  hasMedia(node: Node): boolean;
}

/**
 * Sessions that were answered by something else than the API, such as a proxy or a mock, may count anything. Their counts are not
 * used where the last one cannot be that of its texts, or where a third of the steps from one to the next do not follow the texts.
 */
export function isBelievable({ segments, first, last }: CountedSegments, texts: SentTexts): boolean {
  if (last.tokens === undefined || first.tokens === undefined) return false;
  const before = (count: number) => segments.slice(0, count).flatMap(({ nodes }) => nodes);
  const instructions = texts.instructions.isRecorded ? texts.instructions.bytes : 0;
  const least = LEAST_OF_INSTRUCTIONS * instructions + LEAST * sum(before(last.segments), texts.weigh);
  if (last.tokens < Math.max(LEAST_REQUEST, least)) return false;
  const opening = before(first.segments);
  const own = instructions + sum(opening.filter(texts.isOwnText), texts.weigh);
  const others = opening.filter((node) => !texts.isOwnText(node));
  const most = MOST_OF_INSTRUCTIONS * own + MOST * sum(others, texts.weigh);
  if (texts.instructions.isRecorded && first.tokens > most) return false;
  return followsTexts(segments.slice(first.segments, last.segments), texts);
}

function sum(nodes: readonly Node[], weigh: (node: Node) => number): number {
  return nodes.reduce((total, node) => total + weigh(node), 0);
}

interface Step {
  readonly tokens: number;
  readonly weight: number;
}

/** What images count is not known, and where a request counts a little less than the one before it, results were left out. */
function followsTexts(segments: readonly Segment[], texts: SentTexts): boolean {
  let before = 0;
  const steps: Step[] = [];
  for (const { nodes, tokens = 0 } of segments) {
    const weight = sum(nodes, texts.weigh);
    const isFall = tokens < 0 && -tokens <= MOST * before + LARGEST_LEAP;
    if (!isFall && !nodes.some(texts.hasMedia)) steps.push({ tokens, weight });
    before += weight;
  }
  const isRepeated = repetitionFinder(steps);
  const odd = steps.filter((step) => isUnlikely(step) || isRepeated(step));
  return odd.length === 0 || odd.length * 3 < steps.length;
}

function isUnlikely({ tokens, weight }: Step): boolean {
  return tokens < LEAST * weight || tokens - MOST * weight > LARGEST_LEAP;
}

/** Finds steps that count exactly the same as another one, for texts of another size. */
function repetitionFinder(steps: readonly Step[]): (step: Step) => boolean {
  const weights = new Map<number, { readonly least: number; readonly most: number }>();
  for (const { tokens, weight } of steps) {
    const { least, most } = weights.get(tokens) ?? { least: weight, most: weight };
    weights.set(tokens, { least: Math.min(least, weight), most: Math.max(most, weight) });
  }
  return ({ tokens, weight }) => {
    const { least = weight, most = weight } = weights.get(tokens) ?? {};
    return most > SAME_SIZE * weight || weight > SAME_SIZE * least;
  };
}

/** Texts whose sizes differ by more do not count exactly the same. */
const SAME_SIZE = 1.1;
