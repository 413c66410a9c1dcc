import { closeSync, readSync } from "node:fs";
import { openRegular } from "../../format/identity/file-identity.js";

/** How a session of another machine is to the one of the same id here. `ahead`: the other machine has more. `fork`: both went on. */
export type CopyRelation = "same" | "ahead" | "behind" | "fork";

const COMPARED_BYTES = 256 * 1024;

/** By their bytes, up to where the shorter one ends. */
export function compareCopies(here: string, there: string): CopyRelation {
  const [a, b] = [openRegular(here), openRegular(there)];
  try {
    if (a === undefined || b === undefined) return "fork";
    const buffers = [Buffer.alloc(COMPARED_BYTES), Buffer.alloc(COMPARED_BYTES)] as const;
    for (let at = 0; ; at += COMPARED_BYTES) {
      const [x, y] = [readSync(a, buffers[0], 0, COMPARED_BYTES, at), readSync(b, buffers[1], 0, COMPARED_BYTES, at)];
      const shorter = Math.min(x, y);
      if (!buffers[0].subarray(0, shorter).equals(buffers[1].subarray(0, shorter))) return "fork";
      if (x !== y) return x < y ? "ahead" : "behind";
      if (x === 0) return "same";
    }
  } finally {
    for (const file of [a, b]) if (file !== undefined) closeSync(file);
  }
}
