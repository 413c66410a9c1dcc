const LOWER = "abcdefghijklmnopqrstuvwxyz";
const DIGITS = "0123456789";
export const HEX = "0123456789abcdef";
export const ALPHANUMERIC = LOWER + LOWER.toUpperCase() + DIGITS;
export const URL_SAFE = `${ALPHANUMERIC}-_`;
export const BASE64 = `${ALPHANUMERIC}+/`;
export const UPPER_DIGITS = LOWER.toUpperCase() + DIGITS;
export const LOWER_DIGITS = LOWER + DIGITS;
export const LETTERS = LOWER + LOWER.toUpperCase();

/** The same characters for the same seed, so that what is planted can be planted again. */
export interface SeededRandom {
  text(alphabet: string, length: number): string;
  digits(length: number): string;
  uuid(): string;
  pick<Item>(items: readonly Item[]): Item;
}

export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = (below: number) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
  const text = (alphabet: string, length: number) =>
    Array.from({ length }, () => alphabet.charAt(next(alphabet.length))).join("");
  return {
    text,
    digits: (length) => text(DIGITS.slice(1), length),
    pick: (items) => items[next(items.length)] as (typeof items)[number],
    uuid: () => [8, 4, 4, 4, 12].map((length) => text(HEX, length)).join("-"),
  };
}
