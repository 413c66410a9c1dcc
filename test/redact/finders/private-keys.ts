import { BASE64, seededRandom } from "../seeded-random.js";

export const ARMOURS = [
  "PRIVATE KEY",
  "RSA PRIVATE KEY",
  "EC PRIVATE KEY",
  "DSA PRIVATE KEY",
  "ENCRYPTED PRIVATE KEY",
  "OPENSSH PRIVATE KEY",
  "PGP PRIVATE KEY BLOCK",
];

export interface PrivateKey {
  readonly block: string;
  readonly lines: readonly string[]; // the secret ones, between header and footer
}

/** A block in the armour of real keys around random characters. */
export function privateKey(armour: string, seed: number): PrivateKey {
  const random = seededRandom(seed);
  const lines = [...Array.from({ length: 4 }, () => random.text(BASE64, 64)), `${random.text(BASE64, 22)}==`];
  return { lines, block: [`-----BEGIN ${armour}-----`, ...lines, `-----END ${armour}-----`].join("\n") };
}
