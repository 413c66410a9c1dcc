import { setFlagsFromString } from "node:v8";

/** Of those that know the flags: another would complain on the terminal. */
const LATEST_NODE = 24;

/**
 * For work that reads a long session, or many. V8 lets its heap grow to several times what is in use; while texts pass by, to
 * collect what is left of them more often costs little.
 */
export function limitHeapGrowth(): void {
  if (Number.parseInt(process.versions.node, 10) > LATEST_NODE) return;
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--heap-growing-percent=50");
}
