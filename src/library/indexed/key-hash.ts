import { hash } from "node:crypto";

const POSITIVE_BITS = 63;

/** A number of 63 bits for an id: two of ten million ids share one with a chance of 1 in 200,000. */
export function keyHash(id: string): bigint {
  return BigInt.asUintN(POSITIVE_BITS, BigInt(`0x${hash("sha1", id).slice(0, 16)}`));
}
