import type { Node } from "../../session/graph/node.js";
import type { Outline } from "../../session/open-session.js";
import { selectReplay } from "../../session/replay/select-replay.js";
import type { EditSource } from "./edit-source.js";
import { instructionsOf, REMINDER_BYTES, SURROUNDINGS_BYTES } from "./instructions-size.js";
import {
  type CountedSegments,
  isBelievable,
  LEAST,
  listSegments,
  type Mark,
  MOST,
  type Segment,
} from "./recorded-counts.js";

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
  const { contexts = [source.outline] } = source;
  const { nodes: read } = selectReplay(contexts.at(-1) ?? source.outline);
  const { usual, ratios, fixed, frame } = calibrateContexts(source, contexts, bytesOf);
  const tokens = (node: Node, bytes: number) => {
    const whole = (ratios.get(node) ?? usual) * weigh(bytes, frame);
    // Where an image is gone, text is left.
    const isText = source.recordOf(node)?.hasMedia && bytes < bytesOf(node);
    return isText ? Math.min(whole, usual * weigh(bytes, frame)) : whole;
  };
  const constant = read.reduce((sum, node) => sum + (isSentAgain(node) ? tokens(node, bytesOf(node)) : 0), fixed);
  const tokensOf = (node: Node, bytes: number) => (isSentAgain(node) ? 0 : tokens(node, bytes));
  return {
    tokensOf,
    tokensOfText: (bytes) => usual * weigh(bytes, frame),
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
const LEAST_SCALE = 0.1;
/** A record also takes a role, the type of its blocks and their ids: so many bytes as the API counts them, and as JSON. */
const FRAME_BYTES = 30;
const JSON_FRAME_BYTES = 80;

function weigh(bytes: number, frame = FRAME_BYTES): number {
  return bytes === 0 ? 0 : bytes + frame;
}

interface Calibration {
  /** Tokens for a byte, by node; `usual` for all others. */
  readonly ratios: ReadonlyMap<Node, number>;
  readonly usual: number;
  /** Instructions and tools, which are no records. */
  readonly fixed: number;
  /** What a record takes besides its texts, in bytes. */
  readonly frame: number;
}

/** What was in several contexts counts as in the newest one; the others say what the records that only they had count. */
function calibrateContexts(source: EditSource, contexts: readonly Outline[], bytesOf: BytesOf): Calibration {
  const known = contexts.map((outline) => calibrate({ ...source, outline }, bytesOf));
  const newest = known.findLast(({ ratios }) => ratios.size > 0) ?? known.at(-1) ?? calibrateByBytes(source);
  return { ...newest, ratios: new Map(known.flatMap(({ ratios }) => [...ratios])) };
}

function calibrate(source: EditSource, bytesOf: BytesOf): Calibration {
  const counted = listSegments(source);
  const isUsed = isBelievable(counted, {
    instructions: instructionsOf(source),
    weigh: (node) => weigh(bytesOf(node)),
    isOwnText: (node) => source.recordOf(node)?.isSentAgain ?? false,
    hasMedia: (node) => source.recordOf(node)?.hasMedia ?? false,
  });
  return isUsed ? calibrateByCounts(source, counted, bytesOf) : calibrateByBytes(source);
}

/** Four bytes of the request as JSON are a token. */
function calibrateByBytes(source: EditSource): Calibration {
  const told = selectReplay(source.outline)
    .nodes.flatMap((node) => source.recordOf(node) ?? [])
    .filter((record) => record.isSentAgain);
  const isToldInFull = told.some(({ attachment }) => attachment === "environment");
  const toldBytes = told.reduce((sum, { contextBytes }) => sum + contextBytes, 0);
  const untold = isToldInFull ? 0 : Math.max(0, SURROUNDINGS_BYTES - toldBytes);
  const bytes = instructionsOf(source).bytes + REMINDER_BYTES + untold;
  return { ratios: new Map(), usual: TOKENS_PER_BYTE, fixed: TOKENS_PER_BYTE * bytes, frame: JSON_FRAME_BYTES };
}

function calibrateByCounts(source: EditSource, counted: CountedSegments, bytesOf: BytesOf): Calibration {
  const { segments, first, last } = counted;
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
    Math.max(0, (first.tokens ?? 0) - sumUpTo(first.segments)),
    sumUpTo(last.segments),
    last.tokens ?? 0,
  );
  const ratios = new Map<Node, number>();
  sized.forEach(({ nodes }, at) => {
    const { text = usual, media = usual } = shares[at] ?? {};
    for (const node of nodes) ratios.set(node, scale * (hasMedia(node) ? media : text));
  });
  return { ratios, usual: scale * usual, fixed, frame: FRAME_BYTES };
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
function anchor(start: number, parts: number, counted: number): { scale: number; fixed: number } {
  const scale = counted >= start + parts ? 1 : Math.max(LEAST_SCALE, (counted - start) / parts);
  return { scale, fixed: Math.max(0, counted - scale * parts) };
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
  const { bytes, isRecorded } = instructionsOf(source);
  if (!isRecorded || last.tokens === undefined) return TOKENS_PER_BYTE;
  const ratio = last.tokens / (bytes + all);
  return Math.min(TOKENS_PER_BYTE * 2, Math.max(TOKENS_PER_BYTE / 2, ratio));
}
