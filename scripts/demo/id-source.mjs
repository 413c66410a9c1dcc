import { createHash } from "node:crypto";

const LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Ids and small numbers that look random and are the same on every run with the same seed. */
export function idSource(seed) {
  let count = 0;
  const next = () => createHash("sha256").update(`${seed}/${count++}`).digest();

  return {
    hex: (length) => next().toString("hex").slice(0, length),
    token: (length) => Array.from(next().subarray(0, length), (byte) => LETTERS[byte % LETTERS.length]).join(""),
    between: (low, high) => low + (next().readUInt32BE(0) % (high - low + 1)),
    uuid() {
      const bytes = next().subarray(0, 16);
      bytes[6] = (bytes[6] & 0x0f) | 0x40;
      bytes[8] = (bytes[8] & 0x3f) | 0x80;
      return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
    },
  };
}
