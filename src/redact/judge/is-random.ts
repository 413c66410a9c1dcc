/**
 * Letters and digits in an order that does not occur in words. Where a secret is expected (`isLikely`), less randomness
 * is enough: a random string, especially a short one, may resemble words by chance.
 */
export function isRandom(value: string, isLikely = false): boolean {
  const runs = value.match(/[A-Za-z0-9]{16,}/g) ?? []; // prod_… starts with a word
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

/** `aB3xK9`: capitals, lower case and digits alternate often; in `getUserName2` they do not. */
function isChopped(value: string): boolean {
  const pieces = value.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? [];
  return pieces.join("").length < 2.6 * pieces.length;
}

/** Five consonants in a row, which words do not have. */
const hasNoVowels = (value: string) => /[bcdfghjklmnpqrstvwxz]{5}|[BCDFGHJKLMNPQRSTVWXZ]{5}/.test(value);

/**
 * How much a string resembles words, from 0 (random) to 1: the share of adjacent characters that are a common pair
 * of letters in English text and in identifiers. `getUserPassword` is near 1; random base62 stays below 0.4.
 */
export function wordiness(text: string): number {
  let pairs = 0;
  let common = 0;
  for (let at = 1; at < text.length; at++) {
    const pair = PAIRS[pairCode(text.charCodeAt(at - 1), text.charCodeAt(at))] ?? NO_PAIR;
    if (pair !== NO_PAIR) pairs++;
    if (pair === COMMON) common++;
  }
  return pairs === 0 ? 0 : common / pairs;
}

// Letters that commonly follow a letter: the 230 most frequent pairs, about 93 % of all pairs in documentation and code.
const FOLLOWERS: Readonly<Record<string, string>> = {
  a: "bcdgilmnprstuvy",
  b: "aeilou",
  c: "aehikloqrstu",
  d: "adeiosu",
  e: "abcdefglmnpqrstvxy",
  f: "aefiloru",
  g: "aehilnrsu",
  h: "aeiort",
  i: "abcdefglmnoprstvz",
  j: "eos",
  k: "eis",
  l: "adeilostuy",
  m: "abeilmop",
  n: "acdefgilostu",
  o: "bcdfgilmnoprstuvw",
  p: "aeiloprstuw",
  q: "u",
  r: "acdegikmnorstuvy",
  s: "acehiopstuvwy",
  t: "acehilmoprstuwy",
  u: "abceilmnprst",
  v: "aegi",
  w: "aehior",
  x: "pt",
  y: "p",
  z: "e",
};

const NO_PAIR = 0; // not both letters or digits
const RARE = 1;
const COMMON = 2;
const pairCode = (first: number, second: number) => (first > 127 || second > 127 ? 0 : (first << 7) | second);
const PAIRS = classifyPairs();

/** Plain loops: this runs at the start of every command that masks something. */
function classifyPairs(): Uint8Array {
  const lower = "abcdefghijklmnopqrstuvwxyz";
  const alphanumerics = `${lower}${lower.toUpperCase()}0123456789`;
  const pairs = new Uint8Array(1 << 14);
  for (const first of alphanumerics) {
    const followers = FOLLOWERS[first.toLowerCase()] ?? "";
    // A capital after a small letter starts a word inside.
    const common = lower.includes(first) ? followers : followers + followers.toUpperCase();
    for (const second of alphanumerics) {
      pairs[pairCode(first.charCodeAt(0), second.charCodeAt(0))] = common.includes(second) ? COMMON : RARE;
    }
  }
  return pairs;
}
