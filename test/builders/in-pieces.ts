import fc from "fast-check";

/** Bytes together with places to cut them at, so that reading can be tried with any chunk borders. */
export interface CutBytes {
  readonly bytes: Buffer;
  readonly pieces: readonly Buffer[];
}

export function cutAnywhere(source: fc.Arbitrary<Buffer>): fc.Arbitrary<CutBytes> {
  return fc
    .tuple(source, fc.array(fc.nat(), { maxLength: 30 }))
    .map(([bytes, cuts]) => ({ bytes, pieces: inPieces(bytes, cuts) }));
}

/** Each piece is a copy, as a reader gets it that uses one buffer again and again. */
function inPieces(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const borders = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b);
  return borders.slice(1).map((end, index) => Buffer.from(bytes.subarray(borders[index], end)));
}

export function byteByByte(bytes: Buffer): Buffer[] {
  return Array.from(bytes, (byte) => Buffer.of(byte));
}
