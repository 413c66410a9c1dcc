/**
 * How many elements of lists, maps and sets are looked at while `run` runs: by methods with a callback, searches and loops over
 * iterators. Counts do not depend on the machine, so a path whose cost grows faster than its input shows at small sizes.
 */
export async function countWork(run: () => unknown): Promise<number> {
  let count = 0;
  const add = (by: number) => {
    count += by;
  };
  const undo = [...watchLists(add), ...watchIterators(add)];
  try {
    await run();
    return count;
  } finally {
    for (const restore of undo) restore();
  }
}

const WITH_CALLBACK = [
  "every",
  "filter",
  "find",
  "findIndex",
  "findLast",
  "findLastIndex",
  "flatMap",
  "forEach",
  "map",
  "reduce",
  "some",
] as const;

const OF_ALL = ["concat", "includes", "indexOf", "join", "lastIndexOf", "reverse", "toReversed", "toSorted"] as const;

/** Those that return or move a part of the list, by where that begins. */
const OF_A_PART = ["shift", "slice", "splice", "unshift"] as const;

type Method = (this: unknown[], ...args: unknown[]) => unknown;
type Methods = Record<string, Method>;

function watchLists(add: (by: number) => void): (() => void)[] {
  const lists = Array.prototype as unknown as Methods;
  return [
    ...WITH_CALLBACK.map((name) =>
      replace(lists, name, (original) => {
        return function (callback, ...rest) {
          const counted = (...args: unknown[]) => {
            add(1);
            return (callback as (...args: unknown[]) => unknown)(...args);
          };
          return original.call(this, typeof callback === "function" ? counted : callback, ...rest);
        };
      }),
    ),
    ...[...OF_ALL, ...OF_A_PART].map((name) =>
      replace(lists, name, (original) => {
        return function (...args) {
          const result = original.apply(this, args);
          add(name === "slice" ? (result as unknown[]).length : this.length);
          return result;
        };
      }),
    ),
  ];
}

function watchIterators(add: (by: number) => void): (() => void)[] {
  return [[], new Map(), new Set()].map((list) => {
    const iterators = Object.getPrototypeOf(list[Symbol.iterator]()) as Methods;
    return replace(iterators, "next", (original) => {
      return function () {
        add(1);
        return original.call(this);
      };
    });
  });
}

function replace(owner: Methods, name: string, make: (original: Method) => Method): () => void {
  const original = owner[name];
  if (!original) throw new TypeError(`there is no ${name}`);
  Object.defineProperty(owner, name, { value: make(original), writable: true, configurable: true });
  return () => Object.defineProperty(owner, name, { value: original, writable: true, configurable: true });
}
