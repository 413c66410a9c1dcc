import { type Example, makeExample } from "./kinds/make-example.js";
import { MARKED_EXAMPLES } from "./kinds/marked-examples.js";
import { NAMED_EXAMPLES } from "./kinds/named-examples.js";
import { seededRandom } from "./seeded-random.js";

export interface IssuedSecret {
  readonly kind: string;
  readonly secret: string;
}

/** Secrets with a mark of their own, as their issuers make them, from a seed: none of them is real. */
export function issuedSecrets(seed: number): IssuedSecret[] {
  return makeAll(MARKED_EXAMPLES, seed).filter(({ text, secret }) => text === secret);
}

/** Examples of every kind, with what gives them away around them. */
export function examplesOfKinds(seed: number): Example[] {
  return [...makeAll(MARKED_EXAMPLES, seed), ...makeAll(NAMED_EXAMPLES, seed + 1)];
}

function makeAll(templates: typeof MARKED_EXAMPLES, seed: number): Example[] {
  const random = seededRandom(seed);
  return Object.entries(templates).flatMap(([kind, texts]) => texts.map((text) => makeExample(kind, text, random)));
}
