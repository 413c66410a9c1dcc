/** @typedef {ReturnType<typeof createRandom>} Random */

const ALPHANUMERIC = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** A seeded source of randomness: the same seed gives the same library on every machine. @param {number} seed */
export function createRandom(seed) {
  let state = seed >>> 0;

  /** The mulberry32 generator: a number in [0, 1). */
  function next() {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer in [0, limit). @param {number} limit */
  const below = (limit) => Math.floor(next() * limit);

  /** @param {number} length */
  const hex = (length) => Array.from({ length }, () => below(16).toString(16)).join("");

  return {
    next,
    below,
    hex,
    /** @param {number} probability */
    chance: (probability) => next() < probability,
    /** @template T @param {readonly T[]} list @returns {T} */
    pick: (list) => /** @type {T} */ (list[below(list.length)]),
    /** An integer in [low, high]. @param {number} low @param {number} high */
    between: (low, high) => low + below(high - low + 1),
    /** Most values lie near the median, a few are many times as large. @param {number} median @param {number} spread */
    skewed: (median, spread) => median * Math.exp(spread * gaussian(next)),
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
    /** @param {string} prefix @param {number} length */
    id: (prefix, length) => prefix + Array.from({ length }, () => ALPHANUMERIC[below(62)]).join(""),
  };
}

/** @param {() => number} next */
function gaussian(next) {
  return Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
}
