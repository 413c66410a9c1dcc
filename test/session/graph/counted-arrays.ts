import { vi } from "vitest";

/** How many elements of lists and typed arrays were read. */
export interface Work {
  reads: number;
}

/** The same list; every look at one of its elements is counted. */
export function counted<T>(list: readonly T[], work: Work): T[] {
  return countReads([...list], work);
}

/** Runs with all arrays of 32-bit integers counted that are made meanwhile: the links between records are stored in these. */
export function countingIntegers<T>(work: Work, run: () => T): T {
  const plain = Int32Array;
  const make = (array: Int32Array<ArrayBuffer>) => countReads(array, work);
  const Counted = new Proxy(plain, {
    construct: (_, args: [number]) => make(new plain(...args)),
    get: (_, key) =>
      key === "from" ? (...args: Parameters<typeof plain.from>) => make(plain.from(...args)) : undefined,
  });
  vi.stubGlobal("Int32Array", Counted);
  try {
    return run();
  } finally {
    vi.unstubAllGlobals();
  }
}

function countReads<T extends object>(list: T, work: Work): T {
  return new Proxy(list, {
    get(target, key) {
      if (typeof key === "string" && /^\d+$/.test(key)) work.reads += 1;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" && ArrayBuffer.isView(target) ? value.bind(target) : value;
    },
    set: (target, key, value) => Reflect.set(target, key, value, target),
  });
}
