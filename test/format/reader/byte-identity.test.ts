import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseRecords } from "../../../src/format/reader/record-reader.js";
import type { LogRecord } from "../../../src/format/record/record.js";
import { anySmallCorpusFile, corpusBytes } from "../../builders/corpus-bytes.js";
import { damaged } from "../../builders/damaged-bytes.js";
import { type CutBytes, cutAnywhere } from "../../builders/in-pieces.js";
import { joinLines, readPieces, splitPieces } from "../../builders/read-lines.js";
import { corpusSessions } from "../../oracle/corpus-sessions.js";
import { runs } from "../../runs.js";

const damagedFile = damaged(anySmallCorpusFile());
const anyBytes = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
const jsonishBytes = fc
  .array(
    fc.constantFrom("{", "}", "[", "]", '"', "\\", ",", ":", "\n", "\r", "\0", " ", "1", "null", '{"type":"user"}'),
  )
  .map((parts) => Buffer.from(parts.join("")));
const anyFile = fc.oneof(damagedFile, anyBytes, jsonishBytes);

/** The bytes at a record's place, read on their own, must give that record again. */
function readAtPlace(bytes: Buffer, { line, offset, length }: LogRecord): LogRecord[] {
  return parseRecords(bytes.subarray(offset, offset + length), { line, offset });
}

function expectPlacesToBeExact(bytes: Buffer): void {
  const records = parseRecords(bytes).filter(({ kind }) => kind !== "broken");
  expect(records.flatMap((record) => readAtPlace(bytes, record))).toEqual(records);
}

function expectPiecesNotToMatter({ bytes, pieces }: CutBytes): void {
  const maxLineBytes = 500;
  expect(splitPieces(pieces)).toEqual(splitPieces([bytes]));
  expect(splitPieces(pieces, { maxLineBytes })).toEqual(splitPieces([bytes], { maxLineBytes }));
  expect(readPieces(pieces)).toEqual(readPieces([bytes]));
  expect(readPieces(pieces, { abridge: true })).toEqual(readPieces([bytes], { abridge: true }));
  expect(readPieces(pieces, { maxLineBytes })).toEqual(readPieces([bytes], { maxLineBytes }));
}

describe("reading by bytes", () => {
  test.each(corpusSessions())("loses no byte of %s", (path) => {
    const bytes = corpusBytes(path);
    expect(joinLines(splitPieces([bytes])).equals(bytes)).toBe(true);
    expectPlacesToBeExact(bytes);
  });

  test("loses no byte of any file, wherever its chunks end", () => {
    const property = fc.property(cutAnywhere(anyFile), ({ bytes, pieces }) => {
      expect(joinLines(splitPieces(pieces)).equals(bytes)).toBe(true);
    });
    fc.assert(property, runs(300));
  });

  test("numbers lines and counts offsets as the file has them", () => {
    const property = fc.property(anyFile, (bytes) => {
      const lines = splitPieces([bytes]);
      expect(lines.map(({ number }) => number)).toEqual(lines.map((_, index) => index + 1));
      expect(lines.map(({ offset, length }) => bytes.subarray(offset, offset + length))).toEqual(
        lines.map((line) => line.bytes),
      );
    });
    fc.assert(property, runs(200));
  });

  test("gives every record the place of its own bytes, glued ones too", () => {
    fc.assert(fc.property(anyFile, expectPlacesToBeExact), runs(200));
  });

  test("gives the same lines and records wherever chunks end, abridged or not", () => {
    fc.assert(fc.property(cutAnywhere(anyFile), expectPiecesNotToMatter), runs(150));
  });

  test("finds records that stand in no other order than their bytes", () => {
    const property = fc.property(anyFile, (bytes) => {
      const ends = parseRecords(bytes).map(({ offset, length }) => ({ offset, end: offset + length }));
      const overlapping = ends.filter(({ offset }, index) => index > 0 && offset < (ends[index - 1]?.end ?? 0));
      expect(overlapping).toEqual([]);
    });
    fc.assert(property, runs(150));
  });
});
