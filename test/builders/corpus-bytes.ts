import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { CORPUS, corpusSessions } from "../oracle/corpus-sessions.js";

const LARGE = 60_000;

export function corpusBytes(path: string): Buffer {
  return readFileSync(join(CORPUS, path));
}

/** Recorded sessions small enough to be read many times. */
export function anySmallCorpusFile(): fc.Arbitrary<Buffer> {
  const files = corpusSessions()
    .map(corpusBytes)
    .filter((bytes) => bytes.length < LARGE);
  return fc.constantFrom(...files);
}
