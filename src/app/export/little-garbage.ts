import { setFlagsFromString } from "node:v8";

const FLAGS = ["--heap-growing-percent=50", "--semi-space-growth-factor=1"];

/** V8 would let garbage pile up to several times of what is alive while the turns of a session pass by. */
export function keepGarbageLittle(): void {
  for (const flag of FLAGS) setFlagsFromString(flag);
}
