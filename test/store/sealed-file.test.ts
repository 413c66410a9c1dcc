import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isSealed, Passphrase, seal, unseal } from "../../src/store/sealed-file.js";

const COST = { cost: 14 };
const CHUNK = 64 * 1024;
const HEADER = 42;
const SEALED_CHUNK = CHUNK + 16;

async function collect(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const piece of pieces) parts.push(piece);
  return Buffer.concat(parts);
}

function* cutInto(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const sealed = (content: Uint8Array, words: Passphrase) => collect(seal([content], words));
const unsealed = (file: Buffer, words: Passphrase) => collect(unseal(cutInto(file, 50_000), words));

test("content of any size comes back, however it is cut into pieces", async () => {
  const words = new Passphrase("correct horse", COST);
  const size = fc.oneof(fc.integer({ min: 0, max: 300 }), fc.constantFrom(CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK));
  await fc.assert(
    fc.asyncProperty(size, fc.integer({ min: 700, max: 100_000 }), async (length, piece) => {
      const content = randomBytes(length);
      const file = await collect(seal(cutInto(content, piece), words));
      expect(isSealed(file)).toBe(true);
      expect(await collect(unseal(cutInto(file, piece), words))).toEqual(content);
    }),
    { numRuns: 25 },
  );
});

test("a source may use its buffer again after it gave it out", async () => {
  const words = new Passphrase("correct horse", COST);
  const buffer = Buffer.alloc(1000);
  function* reusing() {
    for (let round = 0; round < 200; round++) yield buffer.fill(round);
  }
  const content = await collect(unseal(await collect(seal(reusing(), words)).then((file) => [file]), words));
  expect(content.length).toBe(200_000);
  expect([...content.subarray(150_000, 150_003)]).toEqual([150, 150, 150]);
});

test("the same content is never the same file, and tells nothing of itself", async () => {
  const words = new Passphrase("correct horse", COST);
  const content = Buffer.alloc(2 * CHUNK, "a");
  const [one, two] = [await sealed(content, words), await sealed(content, words)];
  expect(one.equals(two)).toBe(false);
  expect(one.includes(Buffer.alloc(16, "a"))).toBe(false);
  expect(
    one.subarray(HEADER, HEADER + CHUNK).equals(one.subarray(HEADER + SEALED_CHUNK, HEADER + SEALED_CHUNK + CHUNK)),
  ).toBe(false);
});

test("another passphrase opens nothing, but the same with accents typed otherwise does", async () => {
  const file = await sealed(Buffer.from("text"), new Passphrase("café", COST));
  await expect(unsealed(file, new Passphrase("cafe", COST))).rejects.toThrow("the passphrase is wrong");
  expect(String(await unsealed(file, new Passphrase("cafe\u0301", COST)))).toBe("text");
  expect(() => new Passphrase("")).toThrow("the passphrase is empty");
});

test("a flipped bit is refused at every byte of the header and of a short file", async () => {
  const words = new Passphrase("correct horse", COST);
  const file = await sealed(Buffer.from("a short text"), words);
  const changed = Array.from({ length: file.length }, (_, at) => {
    const copy = Buffer.from(file);
    copy[at] = (copy[at] ?? 0) ^ (1 << (at % 8));
    return copy;
  });
  const later = changed.slice(HEADER);
  const outcomes = await Promise.allSettled(later.map((copy) => unsealed(copy, words)));
  expect(outcomes.map(({ status }) => status)).toEqual(later.map(() => "rejected"));
  const inHeader = [0, 7, 8, 9, 10, 25, 26, 41].map((at) => changed[at] ?? file);
  const refused = await Promise.allSettled(inHeader.map((copy) => unsealed(copy, words)));
  expect(refused.map(({ status }) => status)).toEqual(inHeader.map(() => "rejected"));
});

const CONTENT = randomBytes(3 * CHUNK + 100);

test.each([
  ["nothing", () => Buffer.alloc(0)],
  ["half a header", (file: Buffer) => file.subarray(0, 20)],
  ["only the header", (file: Buffer) => file.subarray(0, HEADER)],
  ["half a tag", (file: Buffer) => file.subarray(0, HEADER + 8)],
  ["only the first chunk", (file: Buffer) => file.subarray(0, HEADER + SEALED_CHUNK)],
  ["all chunks but the last", (file: Buffer) => file.subarray(0, HEADER + 3 * SEALED_CHUNK)],
  ["a part of a chunk", (file: Buffer) => file.subarray(0, HEADER + SEALED_CHUNK + 500)],
  ["all but the last byte", (file: Buffer) => file.subarray(0, -1)],
  ["the file and one byte", (file: Buffer) => Buffer.concat([file, Buffer.from("x")])],
  [
    "the file and its last chunk again",
    (file: Buffer) => Buffer.concat([file, file.subarray(HEADER + 3 * SEALED_CHUNK)]),
  ],
  ["the file twice", (file: Buffer) => Buffer.concat([file, file])],
  ["two chunks swapped", (file: Buffer) => swapped(file)],
  ["a chunk twice", (file: Buffer) => Buffer.concat([chunksOf(file, 0, 1), chunksOf(file, 0)])],
  ["a chunk left out", (file: Buffer) => Buffer.concat([file.subarray(0, HEADER), chunksOf(file, 1)])],
])("%s is refused", async (_name, change) => {
  const words = new Passphrase("correct horse", COST);
  const damaged = change(await sealed(CONTENT, words));
  await expect(unsealed(damaged, words)).rejects.toMatchObject({ name: "UserError", code: "unreadable" });
});

test("a chunk of another file with the same passphrase is refused", async () => {
  const words = new Passphrase("correct horse", COST);
  const [one, two] = [await sealed(CONTENT, words), await sealed(CONTENT, words)];
  const mixed = Buffer.concat([one.subarray(0, HEADER + SEALED_CHUNK), two.subarray(HEADER + SEALED_CHUNK)]);
  await expect(unsealed(mixed, words)).rejects.toThrow("damaged");
});

test("a header that asks for more work than a file may is refused before any is done", async () => {
  const words = new Passphrase("correct horse", COST);
  const file = await sealed(Buffer.from("text"), words);
  file[9] = 40;
  await expect(unsealed(file, words)).rejects.toThrow("the header of the encrypted file is damaged");
  file[9] = 1;
  await expect(unsealed(file, words)).rejects.toThrow("the header of the encrypted file is damaged");
});

test("a file of a later version is refused as such", async () => {
  const words = new Passphrase("correct horse", COST);
  const file = await sealed(Buffer.from("text"), words);
  file[8] = 2;
  await expect(unsealed(file, words)).rejects.toMatchObject({ code: "newer" });
});

test("reading holds a few chunks at a time, whatever the size of the file", async () => {
  const words = new Passphrase("correct horse", COST);
  let given = 0;
  let taken = 0;
  let ahead = 0;
  function* endless() {
    for (; given < 400; given++) yield Buffer.alloc(CHUNK, given % 256);
  }
  for await (const chunk of unseal(seal(endless(), words), words)) {
    taken += chunk.length / CHUNK;
    ahead = Math.max(ahead, given - taken);
  }
  expect(taken).toBe(400);
  expect(ahead).toBeLessThan(6);
});

function chunksOf(file: Buffer, from: number, to = 100): Buffer {
  return file.subarray(from === 0 && to === 1 ? 0 : HEADER + from * SEALED_CHUNK, HEADER + to * SEALED_CHUNK);
}

function swapped(file: Buffer): Buffer {
  const header = file.subarray(0, HEADER);
  return Buffer.concat([header, chunksOf(file, 1, 2), chunksOf(file, 0, 1).subarray(HEADER), chunksOf(file, 2)]);
}
