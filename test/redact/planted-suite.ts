import { markedKinds } from "../../src/redact/kinds/all-kinds.js";
import { namedKinds } from "../../src/redact/kinds/named-kinds.js";
import { ARMOURS, privateKey } from "./finders/private-keys.js";
import { likeMarked, likeNamed } from "./kinds/kind-look-alikes.js";
import { NAMED_EXAMPLES } from "./kinds/named-examples.js";
import { lookAlikes } from "./look-alikes.js";
import { namedSecrets } from "./named-secrets.js";
import { CHOSEN_NOTATIONS } from "./notations/chosen-notations.js";
import { HARD_FORMS } from "./notations/hard-forms.js";
import { ISSUED_NOTATIONS } from "./notations/issued-notations.js";
import { TEXT_PLACES } from "./places.js";
import { examplesOfKinds } from "./planted-secrets.js";
import { ALPHANUMERIC, BASE64, HEX, LOWER_DIGITS, seededRandom, URL_SAFE } from "./seeded-random.js";

/** A text with secrets in it; none of them may be left. */
export interface PlantedText {
  readonly group: string;
  readonly text: string;
  readonly secrets: readonly string[];
}

export interface PlantedSuite {
  /** Secrets as people write them. */
  readonly standard: readonly PlantedText[];
  /** Encoded, broken into pieces, drawn. */
  readonly hard: readonly PlantedText[];
  readonly lookAlikes: readonly string[];
}

/** All that is planted, from one seed: for tests and for the comparison with the rules of others. */
export function plantedSuite(seed: number): PlantedSuite {
  return {
    standard: [...kinds(seed), ...generated(seed), ...chosen(seed), ...others(seed), ...keys(seed)],
    hard: hidden(seed),
    lookAlikes: [...lookAlikes(seed), ...markedKinds.flatMap(likeMarked), ...likeNames()],
  };
}

function kinds(seed: number): PlantedText[] {
  const places = Object.values(TEXT_PLACES);
  return examplesOfKinds(seed).map(({ text, secret }, index) => {
    const put = text === secret ? places[(index + seed) % places.length] : undefined;
    return { group: "kinds", text: put?.(secret) ?? text, secrets: [secret] };
  });
}

function generated(seed: number): PlantedText[] {
  const { text } = seededRandom(seed + 100);
  const make = [() => text(ALPHANUMERIC, 32), () => text(HEX, 40), () => text(BASE64, 40), () => text(URL_SAFE, 36)];
  return Object.values(ISSUED_NOTATIONS).map((write, index) => {
    const value = make[(index + seed) % make.length]?.() ?? "";
    return { group: "generated values", text: write(value), secrets: [value] };
  });
}

const WORDS = "winter copper tunnel marble orbit pencil garlic window cousin island hammer ribbon".split(" ");

/** Passwords as people make them up. */
function passwords(seed: number): string[] {
  const { text, digits } = seededRandom(seed + 200);
  const word = (index: number) => WORDS[(index + seed) % WORDS.length] ?? "";
  const capital = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);
  return Array.from(
    { length: 24 },
    (_, index) =>
      [
        `${word(index)}${digits(2)}${text(LOWER_DIGITS, 1)}x`,
        `${capital(word(index))}-${capital(word(index + 3))}${digits(2)}!`,
        text(ALPHANUMERIC, 12),
        `${text(LOWER_DIGITS, 4)}#${word(index)}${digits(1)}`,
      ].at(index % 4) ?? "",
  ).filter((password) => /\d/.test(password));
}

function chosen(seed: number): PlantedText[] {
  const values = passwords(seed);
  return Object.values(CHOSEN_NOTATIONS).map((write, index) => {
    const value = values[index % values.length] ?? "";
    const text = write(value);
    return { group: "passwords", text, secrets: [text.includes(value) ? value : encodeURIComponent(value)] };
  });
}

const others = (seed: number): PlantedText[] =>
  namedSecrets(seed).map(({ text, secret }) => ({ group: "assignments", text, secrets: [secret] }));

function keys(seed: number): PlantedText[] {
  return ARMOURS.flatMap((armour, index) => {
    const { block, lines } = privateKey(armour, seed + index);
    const indented = block.replaceAll("\n", "\n    ");
    const texts = [
      block,
      `key: |\n    ${indented}\n`,
      JSON.stringify({ key: block }),
      `KEY="${block.replaceAll("\n", "\\n")}"`,
    ];
    return texts.map((text) => ({ group: "private keys", text, secrets: lines }));
  });
}

function hidden(seed: number): PlantedText[] {
  const { text } = seededRandom(seed + 300);
  const values = passwords(seed + 1);
  const named: readonly (readonly [string, () => string])[] = [
    ["STRIPE_SECRET_KEY", () => `sk_live_${text(ALPHANUMERIC, 24)}`],
    ["GITHUB_TOKEN", () => `ghp_${text(ALPHANUMERIC, 36)}`],
    ["API_KEY", () => text(HEX, 40)],
    ["SESSION_SECRET", () => text(ALPHANUMERIC, 43)],
    ["AUTH_TOKEN", () => text(URL_SAFE, 32)],
    ["DB_PASSWORD", () => values[0] ?? ""],
    ["ADMIN_PASSWORD", () => values[1] ?? ""],
  ];
  return Object.entries(HARD_FORMS).flatMap(([group, hide]) =>
    named.map(([name, make]) => {
      const hard = hide(name, make());
      return { group, text: hard.text, secrets: hard.secrets.filter((secret) => secret.length > 2) };
    }),
  );
}

function likeNames(): string[] {
  return Object.entries(NAMED_EXAMPLES).flatMap(([kind, texts]) => {
    const named = namedKinds.find((other) => other.kind === kind);
    const name = /^([A-Z][A-Z0-9_]+)=/.exec(texts[0] ?? "")?.[1];
    return named && name ? likeNamed(named, name) : [];
  });
}
