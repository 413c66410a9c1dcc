import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ALPHANUMERIC, BASE64, HEX, seededRandom, UPPER_DIGITS, URL_SAFE } from "../seeded-random.js";

/**
 * Notations that were written down before the rules were looked at, one on a line; `§P` and the like become values, and
 * `§{a20}` twenty characters of an alphabet. `§{_a20}` is none of the secrets.
 */
export interface Stranger {
  readonly notation: string;
  readonly text: string;
  readonly secrets: readonly string[];
}

export interface Values {
  readonly P: string; // a password, as people or their generators make them up
  readonly R: string; // a generated password
  readonly T: string; // letters and digits
  readonly X: string; // hexadecimal digits
  readonly B: string; // base64
  readonly U: string; // a uuid
}

const WORDS = "tulip kestrel palace winter harbor rocket mango biscuit thunder velvet saturn otter granite lemon".split(
  " ",
);
const LOWER = "abcdefghijklmnopqrstuvwxyz";
const UPPER = LOWER.toUpperCase();
const DIGITS = "0123456789";

type Make = () => string;

/** Where a letter is not asked for, its value is not made: the same seed gives the same values. */
function makers(seed: number): { readonly secret: Record<string, Make>; readonly harmless: Record<string, Make> } {
  const { text, pick, uuid } = seededRandom(seed);
  const word = () => pick(WORDS);
  const capital = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);
  const passwords: readonly Make[] = [
    () => `${capital(word())}-${text(DIGITS, 4)}-${capital(word())}`,
    () => `${word()}${text(DIGITS, 2)}${capital(word())}!`,
    () => `${capital(word())}${text(DIGITS, 4)}!`,
    () => `${word()}_${word()}${text(DIGITS, 2)}`,
    () => `${text(ALPHANUMERIC, 5)}${text(DIGITS, 1)}${text(LOWER, 1)}${text(ALPHANUMERIC, 5)}`,
    () => `${text(ALPHANUMERIC, 4)}${pick([..."!*.-_~"])}${text(DIGITS, 2)}${text(ALPHANUMERIC, 5)}x`,
    () => `${word().replace("a", "4").replace("e", "3")}${capital(word())}${text(DIGITS, 2)}`,
    () => `${text(LOWER + DIGITS, 6)}${text(DIGITS, 2)}${text(UPPER, 3)}-${text(ALPHANUMERIC, 3)}`,
  ];
  const secret = {
    P: () => pick(passwords)(),
    R: () => `${text(ALPHANUMERIC, 6)}${text(DIGITS, 1)}${pick([..."!*-_.~"])}${text(ALPHANUMERIC, 7)}`,
    T: () => text(ALPHANUMERIC, 34),
    X: () => text(HEX, pick([32, 40])),
    B: () => `${text(BASE64, 43)}=`,
    U: uuid,
  };
  const harmless = {
    "7": () => text(HEX, 7),
    c: () => text(HEX, 40),
    s: () => text(HEX, 64),
    i: () => `${text(BASE64, 86)}==`,
    h: () => text(HEX, 16),
    d: () => text("123456789", 12),
    F: () => Array.from({ length: 20 }, () => text(HEX, 2).toUpperCase()).join(":"),
    G: () => text(BASE64, 43),
    K: () => text(HEX, 40).toUpperCase(),
    k: () => text(HEX, 12),
    N: () => text("0123456789abcdfghijklmnpqrsvwxyz", 32),
  };
  return { secret, harmless };
}

const ALPHABETS: Readonly<Record<string, string>> = {
  a: ALPHANUMERIC,
  b: BASE64,
  w: URL_SAFE,
  h: HEX,
  u: UPPER_DIGITS,
  l: LOWER + DIGITS,
  d: "123456789",
  x: `${UPPER}234567`,
  k: "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
  K: HEX.toUpperCase(),
  N: "0123456789abcdfghijklmnpqrsvwxyz",
};

/** `a20` twenty letters and digits, `F16` sixteen bytes with colons, `S` a password with signs, `=word` the word itself. */
function madeBy(spec: string, seed: number, { secret }: Pick<ReturnType<typeof makers>, "secret">): string {
  const { text, pick } = seededRandom(seed);
  const [kind = "", length] = [spec.charAt(0), Number(spec.slice(1))];
  if (kind === "=") return spec.slice(1);
  if (kind === "S" || kind === "s") {
    const sign = () => pick([..."@#%^*!?+="]);
    return `${text(ALPHANUMERIC, 3)}${sign()}${text(DIGITS, 1)}${text(ALPHANUMERIC, 4)}${sign()}${text(ALPHANUMERIC, 3)}`;
  }
  if (spec.length === 1) return secret[spec.toUpperCase()]?.() ?? "";
  if (kind === "F") return Array.from({ length }, () => text(HEX, 2).toUpperCase()).join(":");
  if (kind === "f") return Array.from({ length }, () => text(HEX, 2)).join(":");
  const value = text(ALPHABETS[kind] ?? "", length);
  return length < 12 || /\d/.test(value) ? value : madeBy(spec, seed + 1, { secret }); // keys have digits
}

/** `§P` and `§p` are two values; each of them is the same wherever it stands in a line. */
export function strangers(file: string, seed: number): Stranger[] {
  const { secret } = makers(seed);
  return linesOf(file).map((notation, line) => {
    const made = new Map<string, string>();
    const text = fill(notation, (letter, spec, place) => {
      const name = spec === undefined ? letter : `${spec}${place}`;
      const value =
        made.get(name) ??
        (spec === undefined
          ? secret[letter.toUpperCase()]?.()
          : madeBy(spec.replace("_", ""), seed + line * 512 + place, { secret })) ??
        "";
      if (!spec?.startsWith("_")) made.set(name, value);
      return value;
    });
    return { notation, text, secrets: [...made.values()] };
  });
}

/** Texts that only look as if they held secrets: here every value is another one. */
export function strangeLookAlikes(file: string, seed: number): string[] {
  const { secret, harmless } = makers(seed);
  return linesOf(file).map((line, number) =>
    fill(line, (letter, spec, place) =>
      spec === undefined
        ? ((harmless[letter] ?? secret[letter.toUpperCase()])?.() ?? "")
        : madeBy(spec, seed + number * 512 + place, { secret }),
    ),
  );
}

/** Writes a text with its values hidden, and says what must not be left of it. */
export type Hide = (v: Values) => readonly [string, readonly (string | undefined)[]];

export function hardStrangers(notations: readonly Hide[], seed: number): Stranger[] {
  const { secret } = makers(seed);
  return notations.map((write) => {
    const value = (letter: string) => secret[letter]?.() ?? "";
    const [text, secrets] = write({
      P: value("P"),
      R: value("R"),
      T: value("T"),
      X: value("X"),
      B: value("B"),
      U: value("U"),
    });
    return { notation: String(write), text, secrets: secrets.filter((secret) => secret !== undefined) };
  });
}

const fill = (line: string, value: (letter: string, spec: string | undefined, place: number) => string) =>
  line
    .replaceAll("⏎", "\n")
    .replaceAll("⇥", "\t")
    .replace(/§(?:\{([^}]+)\}|(.))/gu, (_, spec: string | undefined, letter: string, place: number) =>
      value(letter, spec, place),
    );

function linesOf(file: string): string[] {
  const lines = readFileSync(join(import.meta.dirname, file), "utf8").split("\n");
  return lines.filter((line) => line !== "" && !/^# [a-z ,]+$/.test(line));
}
