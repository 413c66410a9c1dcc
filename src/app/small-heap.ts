import { setFlagsFromString } from "node:v8";

/** Of those that know the flags: another would complain on the terminal. */
const LATEST_NODE = 24;

/** From here on, V8's space for new objects grows to 96 MB; before, to 48 MB. */
const LARGE_NURSERY_NODE = 24;

/**
 * For work that reads a long session, or many. V8 lets its heap grow to several times what is in use; while texts pass by, to
 * collect what is left of them more often costs little. Building an index takes a tenth less time where the space for new
 * objects may grow.
 */
export function limitHeapGrowth({ isBuilding = false } = {}): void {
  const version = Number.parseInt(process.versions.node, 10);
  if (version > LATEST_NODE) return;
  if (!isBuilding || version >= LARGE_NURSERY_NODE) setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--heap-growing-percent=50");
}
