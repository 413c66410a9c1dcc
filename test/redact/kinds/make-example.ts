import {
  ALPHANUMERIC,
  BASE64,
  HEX,
  LETTERS,
  LOWER_DIGITS,
  type SeededRandom,
  UPPER_DIGITS,
  URL_SAFE,
} from "../seeded-random.js";

/**
 * How secrets of each kind look, by kind: letters as they are, and in brackets the alphabet and number of random ones.
 * `[a36]` letters and digits, `[h32]` hexadecimal, `[H32]` the same in capitals, `[u20]` URL-safe, `[b40]` base64, `[U16]` capitals and digits,
 * `[l20]` small letters and digits, `[L34]` letters, `[d12]` digits, `[uuid]`. Around a secret that only its surroundings
 * give away stands what does, and `‹›` are around the secret. No secret stands in these files as a whole.
 */
export type Templates = Readonly<Record<string, readonly string[]>>;

export interface Example {
  readonly kind: string;
  readonly text: string;
  readonly secret: string;
}

const ALPHABETS: Readonly<Record<string, string>> = {
  a: ALPHANUMERIC,
  h: HEX,
  H: HEX.toUpperCase(),
  u: URL_SAFE,
  b: BASE64,
  U: UPPER_DIGITS,
  l: LOWER_DIGITS,
  L: LETTERS,
  d: "123456789",
  s: "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
  k: "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
};

export function makeExample(kind: string, template: string, random: SeededRandom): Example {
  const text = template
    .replaceAll("[uuid]", () => random.uuid())
    .replace(/\[([a-zA-Z])(\d+)\]/g, (_, alphabet: string, length: string) =>
      random.text(ALPHABETS[alphabet] ?? ALPHANUMERIC, Number(length)),
    );
  const marked = /‹([^›]*)›/.exec(text)?.[1];
  return { kind, text: text.replace(/[‹›]/g, ""), secret: marked ?? text };
}
