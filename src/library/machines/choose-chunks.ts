import type { ReceivedStream } from "./received-session.js";
import { type Chunk, START_OF_CHAIN } from "./segment.js";

/** A chunk and the segment that it is in. */
export interface PlacedChunk {
  readonly chunk: Chunk;
  /** The place of the segment in its list. */
  readonly segment: number;
  /** The place of the bytes in its content. */
  readonly at: number;
}

/**
 * The chunks of one file that can be written now, in their order. A new generation replaces the file as soon as there is all of it
 * that was sent at once; before that, what there was stays.
 */
export function chooseChunks(
  chunks: readonly PlacedChunk[],
  known: ReceivedStream | undefined,
): readonly PlacedChunk[] {
  const generations = [...new Set(chunks.map(({ chunk }) => chunk.generation))].sort((a, b) => b - a);
  for (const generation of generations) {
    if (known && generation < known.generation) break;
    const isKnown = generation === known?.generation;
    const start = isKnown ? known : { generation, length: 0, chain: START_OF_CHAIN };
    const following = follow(
      chunks.filter(({ chunk }) => chunk.generation === generation),
      start,
    );
    if (isKnown || following.some(({ chunk }) => chunk.isLast)) return following;
  }
  return [];
}

/** Those that continue each other without a gap. */
function follow(chunks: readonly PlacedChunk[], start: ReceivedStream): PlacedChunk[] {
  const inOrder = chunks.toSorted((a, b) => a.chunk.offset - b.chunk.offset || a.segment - b.segment);
  const chosen: PlacedChunk[] = [];
  let { length, chain } = start;
  for (const placed of inOrder) {
    const { chunk } = placed;
    const isEmptyStart = chunk.length === 0 && chunk.offset === 0 && chosen.length === 0;
    if (chunk.offset !== length || chunk.before !== chain || (chunk.length === 0 && !isEmptyStart)) continue;
    chosen.push(placed);
    length += chunk.length;
    chain = chunk.after;
  }
  return chosen;
}

/** Nothing of the chunk is needed any more. */
export function isSettled({ generation, offset, length }: Chunk, known: ReceivedStream | undefined): boolean {
  if (!known || generation > known.generation) return false;
  return generation < known.generation || offset + length <= known.length;
}
