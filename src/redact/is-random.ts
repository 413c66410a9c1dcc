import { wordiness } from "./wordiness.js";

/**
 * Letters and digits in an order that words do not have. Where a secret is to be expected (`isLikely`), a little
 * randomness is enough: a random string may happen to read like words, all the more a short one.
 */
export function isRandom(value: string, isLikely = false): boolean {
  const runs = value.match(/[A-Za-z0-9]{16,}/g) ?? []; // prod_… has a word in front
  return isWordless(value, isLikely) || (runs[0] !== value && runs.some((run) => isWordless(run, isLikely)));
}

function isWordless(value: string, isLikely: boolean): boolean {
  const hasDigit = /\d/.test(value);
  const minLength = hasDigit ? 8 : isLikely ? 12 : 16;
  if (value.length < minLength || !/[A-Za-z]/.test(value)) return false;
  const words = wordiness(value);
  if (value.length < 12) return words < (isLikely ? 0.5 : 0.3) && isVaried(value);
  const limit = (hasDigit ? 0.5 : 0.42) + (isLikely ? 0.12 : 0);
  const isFarFromWords = words < limit || (words < limit + 0.13 && hasNoVowels(value));
  return (isFarFromWords || (words < 0.7 && isChopped(value))) && isVaried(value);
}

const isVaried = (value: string) => new Set(value).size >= 5;

/** `aB3xK9`: capitals, small letters and digits change places all the time; in `getUserName2` they do not. */
function isChopped(value: string): boolean {
  const pieces = value.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? [];
  return pieces.join("").length < 2.6 * pieces.length;
}

/** Five consonants in a row, as in no word of which passwords, paths and identifiers are made. */
const hasNoVowels = (value: string) => /[bcdfghjklmnpqrstvwxz]{5}|[BCDFGHJKLMNPQRSTVWXZ]{5}/.test(value);
